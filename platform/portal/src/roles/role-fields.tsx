import { Form } from "antd";
import Input from "antd/es/input/Input";
import TextArea from "antd/es/input/TextArea";
import { useTranslation } from "react-i18next";
import { RULES } from "@/api/rules.gen";
import { useFieldRules } from "@/elements/rules";
import { PermissionChoice } from "./permission-choice";

export function NameField() {
  const { t } = useTranslation("roles");
  const rules = useFieldRules();
  return (
    <Form.Item name="name" label={t("name")} rules={rules(RULES.RoleCreate.name)} className="last-item">
      <Input autoComplete="off" />
    </Form.Item>
  );
}

export function DescriptionField() {
  const { t } = useTranslation("roles");
  const rules = useFieldRules();
  return (
    <Form.Item
      name="description"
      label={t("description")}
      rules={rules(RULES.RoleCreate.description)}
      className="last-item"
    >
      <TextArea autoSize={{ minRows: 2, maxRows: 6 }} />
    </Form.Item>
  );
}

export function GrantsField() {
  const { t } = useTranslation("roles");
  return (
    <Form.Item
      name="grants"
      className="last-item"
      rules={[{ required: true, type: "array", min: 1, message: t("grant_needed") }]}
    >
      <PermissionChoice />
    </Form.Item>
  );
}
