import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { api, body, type Schemas } from "@/api/client";
import { onRefresh, refreshMs, setRefresh } from "@/api/refresh";
import { RULES } from "@/api/rules.gen";
import { chooseAppearance } from "@/appearance/theme";
import { setTimeZone } from "@/formats/zone";
import { preferredLanguage, switchLanguage } from "@/words/language";
import { useMay } from "./session";

export type Settings = Schemas["Settings"];

/** Another browser of the same person may change them. */
const STALE_MS = 60_000;

const STORED = "atoll.refresh_seconds";
const STORED_ZONE = "atoll.time_zone";

/** What was set when the portal was open last: it holds until the settings are read. */
export function recallSettings(): void {
  setTimeZone(localStorage.getItem(STORED_ZONE));
  const seconds = Number(localStorage.getItem(STORED));
  const { minimum, maximum } = RULES.SettingsChange.refresh_seconds;
  if (seconds >= minimum && seconds <= maximum) setRefresh(seconds);
}

/** What the account has set holds in this browser, too; what it leaves open stays as it is here. */
function noted(settings: Settings): Settings {
  setRefresh(settings.refresh_seconds);
  setTimeZone(settings.time_zone);
  if (settings.time_zone === null) localStorage.removeItem(STORED_ZONE);
  else localStorage.setItem(STORED_ZONE, settings.time_zone);
  if (settings.appearance) chooseAppearance(settings.appearance);
  if (settings.language && settings.language !== preferredLanguage()) switchLanguage(settings.language);
  localStorage.setItem(STORED, String(settings.refresh_seconds));
  return settings;
}

/** What the person at the screen has set, or what holds without that. */
export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  staleTime: STALE_MS,
  // Broken off when something else is chosen meanwhile: an answer from before would be noted over the choice.
  queryFn: async ({ signal }) => noted(await body(api.GET("/api/v1/settings", { signal }))),
});

export function useSettings() {
  const may = useMay();
  return useQuery({ ...settingsQuery, enabled: may("settings:read") });
}

/** How often to look again what nobody tells of, in ms. */
export function useRefreshMs(): number {
  return useSyncExternalStore(onRefresh, refreshMs);
}

/** Keeps settings on the server, and has all that is on the screen follow them. Raises ApiProblem. */
export function useChangeSettings(): (change: Schemas["SettingsChange"]) => Promise<void> {
  const queries = useQueryClient();
  return async (change) => {
    const before = refreshMs();
    const now = noted(await body(api.PUT("/api/v1/settings", { body: change })));
    // An answer that was asked for before must not replace this one.
    await queries.cancelQueries({ queryKey: settingsQuery.queryKey });
    queries.setQueryData(settingsQuery.queryKey, now);
    // What waits for its turn by the old interval begins anew.
    if (refreshMs() !== before) {
      queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== settingsQuery.queryKey[0] });
    }
  };
}
