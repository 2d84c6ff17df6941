import { Form } from "antd";
import Input from "antd/es/input/Input";
import TextArea from "antd/es/input/TextArea";
import { useTranslation } from "react-i18next";
import { RULES } from "@/api/rules.gen";
import { useFieldRules } from "@/elements/rules";

/** What a group is called and what it is for; both are needed. */
export function GroupFields() {
  const { t } = useTranslation("groups");
  const rules = useFieldRules();
  return (
    <>
      <Form.Item name="name" label={t("name")} rules={rules(RULES.GroupCreate.name)}>
        <Input autoComplete="off" />
      </Form.Item>
      <Form.Item
        name="description"
        label={t("description")}
        rules={rules(RULES.GroupCreate.description)}
        className="last-item"
      >
        <TextArea autoSize={{ minRows: 2, maxRows: 6 }} />
      </Form.Item>
    </>
  );
}
