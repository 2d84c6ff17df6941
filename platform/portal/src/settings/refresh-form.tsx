import { Button, Form, InputNumber } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/api/problem";
import { RULES } from "@/api/rules.gen";
import { useFeedback } from "@/elements/feedback";
import { ProblemNote } from "@/elements/problem-note";
import { useNumberRules } from "@/elements/rules";
import { useChangeSettings } from "@/identity/settings";
import { useFieldWords } from "@/words/told";

interface Fields {
  refresh_seconds: number | null;
}

/** How often pages look again, within what the server lets one set. */
export function RefreshForm({ seconds }: { seconds: number }) {
  const { t } = useTranslation("settings");
  const rules = useNumberRules();
  const fieldWords = useFieldWords();
  const change = useChangeSettings();
  const { message } = useFeedback();
  const [form] = Form.useForm<Fields>();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const bounds = RULES.SettingsChange.refresh_seconds;

  // Set in another browser: what somebody types here stays.
  useEffect(() => {
    if (!form.isFieldTouched("refresh_seconds")) form.setFieldValue("refresh_seconds", seconds);
  }, [form, seconds]);

  async function save({ refresh_seconds }: Fields) {
    setBusy(true);
    setFailure(undefined);
    try {
      await change({ refresh_seconds });
      form.resetFields();
      form.setFieldValue("refresh_seconds", refresh_seconds);
      message.success(t("refresh_saved", { count: refresh_seconds ?? 0 }));
    } catch (error) {
      const { errors } = problemOf(error);
      if (errors.length > 0) form.setFields([{ name: "refresh_seconds", errors: errors.map(fieldWords) }]);
      else setFailure(error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Form<Fields> form={form} layout="vertical" initialValues={{ refresh_seconds: seconds }} onFinish={save}>
      {failure !== undefined && <ProblemNote error={failure} />}
      <Form.Item
        name="refresh_seconds"
        label={t("refresh_seconds")}
        extra={t("refresh_bounds", { from: bounds.minimum, to: bounds.maximum })}
        rules={rules({ ...bounds, required: true })}
      >
        <InputNumber precision={0} />
      </Form.Item>
      <Button type="primary" htmlType="submit" loading={busy}>
        {t("save")}
      </Button>
    </Form>
  );
}
