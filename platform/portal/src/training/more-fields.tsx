import { Checkbox, Form } from "antd";
import Input from "antd/es/input/Input";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { isQuantity, ownOutput, type TrainingOptions, useRules } from "./form";

/**
 * Limits of what a training has of a machine, and where its results go. `privileged`: whether the server offers the tick
 * of a job that is root of its container.
 */
export default function MoreFields({
  options,
  limits,
  privileged,
}: {
  options: TrainingOptions;
  limits: Schemas["Limits"] | undefined;
  privileged: boolean;
}) {
  const { t } = useTranslation(["training", "common"]);
  const rules = useRules();
  return (
    <>
      <div className="field-pair">
        <Form.Item
          name={["limits", "cpu"]}
          label={t("field_cpu")}
          rules={[isQuantity(t("common:rules.quantity"))]}
          extra={limits && t("limit_range", { from: limits.floor.cpu, to: limits.ceiling.cpu })}
        >
          <Input placeholder={limits?.default.cpu} autoComplete="off" />
        </Form.Item>
        <Form.Item
          name={["limits", "memory"]}
          label={t("field_memory")}
          rules={[isQuantity(t("common:rules.quantity"))]}
          extra={limits && t("limit_range", { from: limits.floor.memory, to: limits.ceiling.memory })}
        >
          <Input placeholder={limits?.default.memory} autoComplete="off" />
        </Form.Item>
      </div>
      {privileged && (
        <Form.Item name="privileged" valuePropName="checked" extra={t("privileged_means")}>
          <Checkbox>{t("field_privileged")}</Checkbox>
        </Form.Item>
      )}
      {limits?.local_disk && <p className="quiet new-disk">{t("local_disk", { limit: limits.local_disk })}</p>}
      <Form.Item
        name="output_directory"
        label={t("field_output")}
        rules={rules("output_directory")}
        extra={t("field_output_default")}
        className="last-item"
      >
        <Input
          prefix={<span className="quiet mono">{`${options.home}/`}</span>}
          placeholder={ownOutput("…")}
          autoComplete="off"
        />
      </Form.Item>
    </>
  );
}
