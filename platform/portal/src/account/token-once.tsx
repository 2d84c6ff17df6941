import { Button, Modal } from "antd";
import { type RefObject, useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { CodeBlock } from "@/elements/code";

interface TokenOnceProps {
  made: Schemas["NewAccessToken"];
  opener: RefObject<HTMLElement | null>;
  onClose: () => void;
}

/** It is shown this once: nobody can read it again. What opened the form, which is gone by now, has the focus then. */
export default function TokenOnce({ made, opener, onClose }: TokenOnceProps) {
  useEffect(() => () => opener.current?.focus({ preventScroll: true }), [opener]);
  const { t } = useTranslation("account");
  // A builtin of the shell hands it over: what stands in a command line is seen by everybody on the machine.
  const example = [
    `printf 'Authorization: Bearer %s' "$ATOLL_TOKEN" |`,
    `  curl -fsS -H @- ${window.location.origin}/api/v1/session`,
  ].join("\n");
  return (
    <Modal
      open
      width={560}
      title={t("once_title", { name: made.name })}
      mask={{ closable: false }}
      keyboard={false}
      closable={false}
      footer={
        <Button type="primary" onClick={onClose}>
          {t("once_read")}
        </Button>
      }
    >
      <p>{t("once_means")}</p>
      <CodeBlock text={made.token} label={t("once_label")} />
      <p className="token-try">{t("once_try")}</p>
      <CodeBlock text={example} label={t("once_example")} />
    </Modal>
  );
}
