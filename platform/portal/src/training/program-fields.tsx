import { Form, Radio, Select } from "antd";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { CodeFields } from "./code-fields";
import { type FormFields, type TrainingOptions, useRules } from "./form";

// Most programs run in what the platform brings.
const ImageFields = lazy(() => import("./image-fields"));

/** What is run: a file of the home in a preset framework, or an image that the user brought. */
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
              { value: "framework", label: t("source_framework") },
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
        <Form.Item name="framework" label={t("field_framework")} rules={rules("framework", true)}>
          <Select
            className="field-medium"
            options={options.frameworks.map((framework) => ({ value: framework.name, label: framework.title }))}
            showSearch={{ optionFilterProp: "label" }}
          />
        </Form.Item>
      )}
      <CodeFields home={options.home} codeDirectory={fields.code_directory} own={own} />
    </>
  );
}
