import { useQuery } from "@tanstack/react-query";
import { Segmented } from "antd";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useAppearance } from "@/appearance/preferences";
import { Page, Panel } from "@/elements/page";
import { Answer, Loading } from "@/elements/states";
import { aboutQuery } from "@/identity/about";
import { useChoose } from "@/identity/choices";
import { useMay } from "@/identity/session";
import { useSettings } from "@/identity/settings";
import { WaysPanel } from "@/identity/ways-panel";
import { LANGUAGES, type Language } from "@/words/language";
import { ClusterChoice } from "./cluster-choice";
import { RefreshForm } from "./refresh-form";
import "./settings.css";

const PrivilegedSwitch = lazy(() => import("./privileged-switch"));
// A list of all time zones, to be searched.
const TimeZoneChoice = lazy(() => import("./time-zone-choice"));

/** What somebody has set: the server keeps it, so that it is there in every browser. */
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
        <Panel title={t("privileged")}>
          <p className="settings-hint">{t("privileged_means")}</p>
          <Answer query={query} rows={1}>
            {(settings) => (
              <Suspense fallback={<Loading rows={1} />}>
                <PrivilegedSwitch settings={settings} />
              </Suspense>
            )}
          </Answer>
        </Panel>
        <Panel title={t("looks")}>
          <p className="settings-hint">{t("looks_means")}</p>
          <Looks />
        </Panel>
        <Panel title={t("time_zone")}>
          <p className="settings-hint">{t("time_zone_means")}</p>
          <Answer query={query} rows={1}>
            {({ time_zone }) => (
              <Suspense fallback={<Loading rows={1} />}>
                <TimeZoneChoice zone={time_zone} />
              </Suspense>
            )}
          </Answer>
        </Panel>
      </div>
    </Page>
  );
}

const APPEARANCES = ["light", "dark", "system"] as const;

function Looks() {
  const { t, i18n } = useTranslation();
  const { appearance } = useAppearance();
  const choose = useChoose();
  return (
    <div className="settings-looks">
      <div>
        <p>{t("shell.language")}</p>
        <Segmented
          aria-label={t("shell.language")}
          value={i18n.language as Language}
          onChange={(language) => choose({ language })}
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
          onChange={(wanted) => choose({ appearance: wanted })}
          options={APPEARANCES.map((value) => ({ value, label: t(`shell.appearance_${value}`) }))}
        />
      </div>
    </div>
  );
}
