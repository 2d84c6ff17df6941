import { useMemo } from "react";
import { allows, type MenuEntry } from "@/features/feature";
import { useFeatures } from "@/features/registry";
import { useInstalled } from "@/identity/about";
import { useSession } from "@/identity/session";

export interface ShownEntry extends MenuEntry {
  feature: string;
}

/** The pages of level one that the server lets this person see and that this installation has. */
export function useMenu(): ShownEntry[] {
  const { permissions } = useSession();
  const installed = useInstalled();
  const features = useFeatures();
  return useMemo(
    () =>
      features
        .flatMap((feature) => (feature.menu ?? []).map((entry) => ({ ...entry, feature: feature.name })))
        .filter((entry) => allows(permissions, entry.needs) && (installed || !entry.installed)),
    [features, permissions, installed],
  );
}
