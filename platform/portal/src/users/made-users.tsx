import { useNavigate } from "@tanstack/react-router";
import { Button } from "antd";
import { Download } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { saveAs } from "@/elements/download";
import { Leaving } from "@/elements/leaving";
import { Panel } from "@/elements/page";
import { type Imported, passwordFile } from "./import-file";

/** They are there; their initial passwords are here until this page is left, and nowhere else. */
export function MadeUsers({ made }: { made: Imported }) {
  const { t } = useTranslation("users");
  const navigate = useNavigate();
  const [saved, setSaved] = useState(false);
  const download = useRef<HTMLButtonElement>(null);
  useEffect(() => download.current?.focus(), []);

  function save() {
    const day = new Date().toISOString().slice(0, 10);
    saveAs(passwordFile(made, [t("name"), t("initial_password")]), `passwords-${day}.csv`);
    setSaved(true);
  }

  return (
    <Panel title={t("imported", { count: made.passwords.length })}>
      <p>{t("passwords_once")}</p>
      <div className="row import-ways">
        <Button ref={download} type="primary" size="large" icon={<Download size={15} aria-hidden />} onClick={save}>
          {t("passwords_download")}
        </Button>
        <Button size="large" disabled={!saved} onClick={() => navigate({ to: "/users", search: {} })}>
          {t("passwords_done")}
        </Button>
      </div>
      <p role="status" className="quiet">
        {saved ? t("passwords_saved") : ""}
      </p>
      <Leaving
        unsaved={() => !saved}
        words={{
          title: t("passwords_leave"),
          content: t("passwords_lost"),
          leave: t("passwords_leave_yes"),
          stay: t("passwords_stay"),
        }}
      />
    </Panel>
  );
}
