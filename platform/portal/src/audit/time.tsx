import { useTranslation } from "react-i18next";
import { useTimeZone } from "@/elements/time";
import { exact, stamp } from "@/formats/moments";

/** When it was: who looks for the order of things needs the exact moment, not how long it is ago. */
export function At({ at }: { at: string }) {
  const { i18n } = useTranslation();
  useTimeZone();
  return (
    <time dateTime={at} title={exact(at, i18n.language)} className="tabular nowrap">
      {stamp(at, i18n.language)}
    </time>
  );
}
