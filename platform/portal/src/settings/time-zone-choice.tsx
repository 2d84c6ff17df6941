import { Select } from "antd";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useNow } from "@/elements/time";
import { exact } from "@/formats/moments";
import { browserZone } from "@/formats/zone";
import { useChoose } from "@/identity/choices";

const BROWSER = "";

/** The time zone of all times in the portal; the browser's, unless somebody wants another. */
export default function TimeZoneChoice({ zone }: { zone: string | null }) {
  const { t, i18n } = useTranslation("settings");
  const choose = useChoose();
  const now = useNow();
  const options = useMemo(() => {
    const zones = new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), ...(zone ? [zone] : [])]);
    return [
      { value: BROWSER, label: t("time_zone_browser", { zone: browserZone() }) },
      ...[...zones].sort().map((value) => ({ value, label: value.replaceAll("_", " ") })),
    ];
  }, [zone, t]);
  return (
    <>
      <Select
        className="time-zone"
        aria-label={t("time_zone")}
        showSearch={{ optionFilterProp: "label" }}
        value={zone ?? BROWSER}
        options={options}
        onChange={(value) => choose({ time_zone: value || null })}
      />
      <p className="settings-hint tabular time-zone-now">
        {t("time_zone_now", { at: exact(new Date(now).toISOString(), i18n.language) })}
      </p>
    </>
  );
}
