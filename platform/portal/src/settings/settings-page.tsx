import { useQuery } from "@tanstack/react-query";
import { Segmented } from "antd";
import { useTranslation } from "react-i18next";
import { useAppearance } from "@/appearance/preferences";
import { Page, Panel } from "@/elements/page";
import { Answer } from "@/elements/states";
import { aboutQuery } from "@/identity/about";
import { useMay } from "@/identity/session";
import { useSettings } from "@/identity/settings";
import { WaysPanel } from "@/identity/ways-panel";
import { LANGUAGES, type Language, switchLanguage } from "@/words/language";
import { ClusterChoice } from "./cluster-choice";
import { RefreshForm } from "./refresh-form";
import "./settings.css";

/** What somebody has set: the server keeps it for every browser; language and appearance are this browser's. */
export function SettingsPage() {
  const { t } = useTranslation("settings");
  const may = useMay();
  const query = useSettings();
  const about = useQuery(aboutQuery);
  return (
    <Page title={t("title")} purpose={t("purpose")}>
      <div className="settings">
        {may("virtual_clusters:read") && (
          <Panel title={t("cluster")}>
            <p className="settings-hint">{t("cluster_means")}</p>
            <ClusterChoice />
          </Panel>
        )}
        <Panel title={t("refresh")}>
          <p className="settings-hint">{t("refresh_means")}</p>
          <Answer query={query} rows={2}>
            {(settings) => <RefreshForm seconds={settings.refresh_seconds} />}
          </Answer>
        </Panel>
        {(about.data?.ways_in.length ?? 0) > 0 && (
          <Panel title={t("ways")}>
            <p className="settings-hint">{t("ways_means")}</p>
            <WaysPanel />
          </Panel>
        )}
        <Panel title={t("browser")}>
          <p className="settings-hint">{t("browser_means")}</p>
          <Looks />
        </Panel>
      </div>
    </Page>
  );
}

const APPEARANCES = ["light", "dark", "system"] as const;

function Looks() {
  const { t, i18n } = useTranslation();
  const { appearance, choose } = useAppearance();
  return (
    <div className="settings-looks">
      <div>
        <p>{t("shell.language")}</p>
        <Segmented
          aria-label={t("shell.language")}
          value={i18n.language as Language}
          onChange={switchLanguage}
          options={(Object.keys(LANGUAGES) as Language[]).map((value) => ({
            value,
            label: <span lang={value}>{LANGUAGES[value]}</span>,
          }))}
        />
      </div>
      <div>
        <p>{t("shell.appearance")}</p>
        <Segmented
          aria-label={t("shell.appearance")}
          value={appearance}
          onChange={choose}
          options={APPEARANCES.map((value) => ({ value, label: t(`shell.appearance_${value}`) }))}
        />
      </div>
    </div>
  );
}
