import { Form, Radio, Select } from "antd";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { CodeFields } from "./code-fields";
import { type FormFields, type TrainingOptions, useRules } from "./form";

// Most programs run in what the platform brings.
const ImageFields = lazy(() => import("./image-fields"));

/** What is run: a file of the home in a preset engine, or an image that the user brought. */
export function ProgramFields({ options, fields }: { options: TrainingOptions; fields: FormFields }) {
  const { t } = useTranslation("training");
  const rules = useRules();
  const own = fields.source === "image";
  return (
    <>
      {options.own_images && (
        <Form.Item name="source" label={t("field_source")}>
          <Radio.Group
            aria-label={t("field_source")}
            optionType="button"
            options={[
              { value: "engine", label: t("source_engine") },
              { value: "image", label: t("source_image") },
            ]}
          />
        </Form.Item>
      )}
      {own ? (
        <Suspense>
          <ImageFields registry={options.registry} />
        </Suspense>
      ) : (
        <Form.Item name="engine" label={t("field_engine")} rules={rules("engine", true)}>
          <Select
            className="field-medium"
            options={options.engines.map((engine) => ({ value: engine.name, label: engine.title }))}
            showSearch={{ optionFilterProp: "label" }}
          />
        </Form.Item>
      )}
      <CodeFields home={options.home} codeDirectory={fields.code_directory} own={own} />
    </>
  );
}
