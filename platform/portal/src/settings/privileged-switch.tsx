import { Switch } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemNote } from "@/elements/problem-note";
import { type Settings, useChangeSettings } from "@/identity/settings";

/** Whether forms of tasks offer the tick "Privilege Job"; nobody switches on what they may not have. */
export default function PrivilegedSwitch({ settings }: { settings: Settings }) {
  const { t } = useTranslation("settings");
  const change = useChangeSettings();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const { privileged_jobs: on, privileged_jobs_refused: refused } = settings;

  async function turn(wanted: boolean) {
    setBusy(true);
    setFailure(undefined);
    try {
      await change({ privileged_jobs: wanted });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      {failure !== undefined && <ProblemNote error={failure} />}
      <div className="settings-switch">
        <Switch
          aria-label={t("privileged")}
          checked={on}
          loading={busy}
          disabled={refused !== null && !on}
          onChange={turn}
        />
        <span>{on ? t("privileged_on") : t("privileged_off")}</span>
      </div>
      {refused && <p className="settings-hint settings-refused">{t(`privileged_refused_${refused}`)}</p>}
    </>
  );
}
