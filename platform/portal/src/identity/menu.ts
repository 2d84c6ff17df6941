import { useMemo } from "react";
import { allows } from "@/features/feature";
import { entriesOf, type ShownEntry } from "@/features/menu";
import { useFeatures } from "@/features/registry";
import { useInstalled } from "./about";
import { useSession } from "./session";

/** The pages of level one that the server lets this person see and that this installation has. */
export function useMenu(): ShownEntry[] {
  const { permissions } = useSession();
  const installed = useInstalled();
  const features = useFeatures();
  return useMemo(
    () => entriesOf(features).filter((entry) => allows(permissions, entry.needs) && (installed || !entry.installed)),
    [features, permissions, installed],
  );
}
