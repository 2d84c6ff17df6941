import { Checkbox, Form } from "antd";
import { useTranslation } from "react-i18next";

/** The tick of a job that is root of its container; shown only where the server offers it. */
export default function PrivilegedField() {
  const { t } = useTranslation("training");
  return (
    <Form.Item name="privileged" valuePropName="checked" extra={t("privileged_means")}>
      <Checkbox>{t("field_privileged")}</Checkbox>
    </Form.Item>
  );
}
