import { Button, Modal } from "antd";
import { useTranslation } from "react-i18next";
import { CodeBlock } from "@/elements/code";
import { useFocusBack } from "@/elements/focus";

/** It is shown this once: nobody can read it again. */
export default function OneTimePassword({
  name,
  password,
  onClose,
}: {
  name: string;
  password: string;
  onClose: () => void;
}) {
  useFocusBack();
  const { t } = useTranslation("users");
  return (
    <Modal
      open
      width={440}
      title={t("one_time_title", { name })}
      mask={{ closable: false }}
      keyboard={false}
      closable={false}
      footer={
        <Button type="primary" onClick={onClose}>
          {t("one_time_read")}
        </Button>
      }
    >
      <p>{t("one_time_means")}</p>
      <CodeBlock text={password} label={t("one_time_label")} />
    </Modal>
  );
}
