import { Form } from "antd";
import { useTranslation } from "react-i18next";
import { Choices, GROUPS, USERS } from "./choice";
import { FormDialog } from "./form-dialog";

/** As many as the server takes in one request. */
const MOST_AT_ONCE = 100;

/** Chooses users or groups by a few letters and adds them all at once. */
export default function AddDialog({
  of,
  owner,
  add,
  onClose,
}: {
  of: "users" | "groups";
  owner: string;
  add: (ids: string[]) => Promise<unknown>;
  onClose: () => void;
}) {
  const { t } = useTranslation("people");
  const [form] = Form.useForm<Record<string, string[]>>();
  return (
    <FormDialog
      form={form}
      title={t(`add_${of}_title`, { owner })}
      okText={t("add")}
      start={{ [of]: [] }}
      save={(fields) => add(fields[of] ?? [])}
      done={t("added", { owner })}
      onClose={onClose}
    >
      <Form.Item
        name={of}
        label={t(of)}
        extra={t("choice_how")}
        rules={[{ required: true, type: "array", min: 1, max: MOST_AT_ONCE, message: t("choice_needed") }]}
      >
        <Choices source={of === "users" ? USERS : GROUPS} placeholder={t(`choice_${of}`)} />
      </Form.Item>
    </FormDialog>
  );
}
