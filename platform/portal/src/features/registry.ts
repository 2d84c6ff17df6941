import { createContext, use } from "react";
import type { Feature, KnownKind } from "./feature";
import { kindsOf } from "./feature";

export interface Registry {
  features: readonly Feature[];
  kinds: readonly KnownKind[];
}

export function registryOf(features: readonly Feature[]): Registry {
  return { features, kinds: kindsOf(features) };
}

/** What the portal is made of; `app/` gives its one list, a test its own. */
export const RegistryContext = createContext<Registry>({ features: [], kinds: [] });

export function useFeatures(): readonly Feature[] {
  return use(RegistryContext).features;
}

/** Every kind of tasks that the portal has pages for, in the order of the features. */
export function useKinds(): readonly KnownKind[] {
  return use(RegistryContext).kinds;
}

/** The pages of a kind of tasks; none when a newer server has a kind that this portal does not know. */
export function useKind(kind: string): KnownKind | undefined {
  return useKinds().find((each) => each.kind === kind);
}

/** Where a task is shown. */
export function pathOf(kinds: readonly KnownKind[], task: { kind: string; id: string }): string | undefined {
  const found = kinds.find((each) => each.kind === task.kind);
  return found && `${found.path}/${encodeURIComponent(task.id)}`;
}
