import { Form, Input, Modal } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { problemOf } from "@/api/problem";
import { useFocusBack } from "@/elements/focus";
import { ProblemNote } from "@/elements/problem-note";
import { useFieldWords } from "@/words/told";
import { useSession } from "./session";
import { leaveFor, type WayName } from "./ways";

/** Asks who sits there once more, then leads to the provider, who says who that is. */
export default function LinkDialog({
  way,
  password,
  onClose,
}: {
  way: WayName;
  password: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation("identity");
  const { user } = useSession();
  const [form] = Form.useForm<{ password?: string }>();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const fieldWords = useFieldWords();
  const provider = t(`way.${way}`);
  useFocusBack();

  async function link(fields: { password?: string }) {
    setBusy(true);
    setFailure(undefined);
    try {
      const params = { path: { way } };
      leaveFor(await body(api.POST("/api/v1/session/ways/{way}/link", { params, body: fields })), { linking: true });
    } catch (error) {
      const { errors } = problemOf(error);
      const mistakes = errors.filter(({ field }) => field === "password").map(fieldWords);
      if (mistakes.length > 0) form.setFields([{ name: "password", errors: mistakes }]);
      else setFailure(error);
      setBusy(false);
    }
  }

  return (
    <Modal
      open
      width={440}
      title={t("way_link_title", { provider })}
      okText={t("way_link_do", { provider })}
      confirmLoading={busy}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      {failure !== undefined && <ProblemNote error={failure} />}
      <p>{t("way_link_means", { provider })}</p>
      <Form form={form} layout="vertical" requiredMark={false} onFinish={link}>
        {password && (
          <>
            <input type="text" name="username" value={user.name} autoComplete="username" readOnly hidden />
            <Form.Item name="password" label={t("current")} rules={[{ required: true, message: t("password_needed") }]}>
              <Input.Password autoFocus autoComplete="current-password" />
            </Form.Item>
          </>
        )}
      </Form>
    </Modal>
  );
}
