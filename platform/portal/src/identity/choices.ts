import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type Appearance, chooseAppearance, storedAppearance } from "@/appearance/theme";
import { useFailures } from "@/elements/failures";
import { setTimeZone } from "@/formats/zone";
import { type Language, preferredLanguage, switchLanguage } from "@/words/language";
import { useMay } from "./session";
import { type Settings, settingsQuery, useChangeSettings } from "./settings";

/** How somebody sees the portal; one at a time. */
export type Choice = { language: Language } | { appearance: Appearance } | { time_zone: string | null };

function show(choice: Choice): unknown {
  if ("language" in choice) return switchLanguage(choice.language);
  if ("appearance" in choice) return chooseAppearance(choice.appearance);
  return setTimeZone(choice.time_zone);
}

/** What is shown now of what is chosen. */
function shown(choice: Choice, settings: Settings | undefined): Choice {
  if ("language" in choice) return { language: preferredLanguage() };
  if ("appearance" in choice) return { appearance: storedAppearance() };
  return { time_zone: settings?.time_zone ?? null };
}

/** Shows it at once and keeps it with the account, so that it follows the person; taken back when the server refuses. */
export function useChoose(): (choice: Choice) => Promise<void> {
  const { t } = useTranslation();
  const may = useMay();
  const queries = useQueryClient();
  const change = useChangeSettings();
  const failures = useFailures();
  return async function choose(choice) {
    const key = `choice/${Object.keys(choice)[0]}`;
    const before = shown(choice, queries.getQueryData(settingsQuery.queryKey));
    show(choice);
    if (!may("settings:write")) return; // it is this browser's
    await queries.cancelQueries({ queryKey: settingsQuery.queryKey });
    queries.setQueryData(settingsQuery.queryKey, (now) => now && { ...now, ...choice });
    try {
      await change(choice);
      failures.settle(key);
    } catch (error) {
      show(before);
      queries.invalidateQueries({ queryKey: settingsQuery.queryKey });
      failures.tell({ key, title: t("shell.choice_failed"), error, retry: () => choose(choice) });
    }
  };
}
