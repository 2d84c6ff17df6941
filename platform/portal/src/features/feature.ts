import type { QueryClient } from "@tanstack/react-query";
import type { AnyRoute } from "@tanstack/react-router";
import type { i18n as I18n } from "i18next";
import type { LucideIcon } from "lucide-react";
import type { ComponentType } from "react";
import type { Schemas } from "@/api/client";
import type { WordLoaders } from "@/words/language";
import type { Place } from "./places";

type Permission = Schemas["Permission"];
type Task = Schemas["Task"];

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** Words of other features that a page shows: they are loaded beside those of its own. */
    shows?: readonly string[];
  }
}

/** What the server must allow: this, or one of these. */
export type Needs = Permission | readonly Permission[];

export function allows(permissions: readonly Permission[], needs: Needs): boolean {
  return [needs].flat().some((each) => permissions.includes(each));
}

/** A page of level one, in the side menu and the search. */
export interface MenuEntry {
  /** Key of its words in the feature's `names.*.json`: they are seen before the feature is loaded. */
  name: string;
  to: string;
  icon: LucideIcon;
  /** What the server must allow for it to be shown. */
  needs: Needs;
  /** Owned by the control service, which only an installed cluster has. */
  installed?: true;
  place: Place;
  /** Where a new one is made: found by the search, too. `name` is a key like that of the entry. */
  form?: { name: string; to: string; needs: Permission };
}

/** Something that the search dialog found. */
export interface Hit {
  id: string;
  icon: LucideIcon;
  label: string;
  detail?: string;
  to: string;
}

/** What the search knows beside the words that are looked for. */
export interface SearchContext {
  queries: QueryClient;
  kinds: readonly KnownKind[];
  i18n: I18n;
}

/** What a feature lets people find by a few letters; the title of its hits is `search` in `names.*.json`. */
export interface SearchSource {
  needs: Needs;
  /** The hits for these words, the best first; the words of the feature are loaded by then. */
  find: (words: string, context: SearchContext) => Promise<Hit[]>;
}

/** A tab of the page of a task; the words are `tab_<id>` of the feature that brings the kind, else of `tasks`. */
export interface TaskTab {
  id: string;
  View: ComponentType<{ task: Task }>;
}

/** What a feature says of a kind of tasks: the views of `tasks/` do the rest. Words: `mine`, `new`, `first` in `names.*.json`. */
export interface TaskKind {
  /** As the API calls it. */
  kind: Task["kind"];
  /** Where its tasks are listed; `<path>/<id>` is one of them. */
  path: string;
  icon: LucideIcon;
  tabs: readonly TaskTab[];
  /** What one was asked for: `Fact`s of its overview beside those that every task has. */
  Facts?: ComponentType<{ task: Task }>;
  /** Where a new one is asked for; `?copy=<id>` starts from an older one. */
  form?: { path: string; needs: Permission; first?: Record<string, string> };
}

/** What is seen of a feature on every page, in the top bar: one sign, with words of the shell. */
export interface Glance {
  needs: Needs;
  installed?: true;
  View: ComponentType;
}

export interface Feature {
  /** Its folder, with `_` for `-`: the name of its words, too. */
  name: string;
  words: WordLoaders;
  /** Pages in the shell, for people who are signed in. */
  routes?: readonly AnyRoute[];
  /** Pages in front of it. */
  entrances?: readonly AnyRoute[];
  menu?: readonly MenuEntry[];
  glance?: Glance;
  search?: SearchSource;
  kinds?: readonly TaskKind[];
}

/** A kind of tasks, and the feature that brings it. */
export interface KnownKind extends TaskKind {
  feature: string;
}

export function kindsOf(features: readonly Feature[]): KnownKind[] {
  return features.flatMap((feature) => (feature.kinds ?? []).map((kind) => ({ ...kind, feature: feature.name })));
}
