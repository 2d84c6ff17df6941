import { useTranslation } from "react-i18next";
import { exact } from "@/formats/moments";

/** When it was: who looks for the order of things needs the exact moment, not how long it is ago. */
export function At({ at }: { at: string }) {
  const { i18n } = useTranslation();
  const words = new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium", timeStyle: "medium" });
  return (
    <time dateTime={at} title={exact(at, i18n.language)} className="tabular nowrap">
      {words.format(new Date(at))}
    </time>
  );
}
