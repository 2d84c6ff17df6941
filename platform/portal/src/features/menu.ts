import type { LucideIcon } from "lucide-react";
import type { Feature, MenuEntry } from "./feature";
import { type FolderName, MENUS, type MenuName, PLACES, type Place } from "./places";

export interface ShownEntry extends MenuEntry {
  feature: string;
  /** Whether it is for who administers. */
  administration: boolean;
}

/** One menu with the pages below it; one without sub-menus has just its own. */
export interface ShownMenu {
  name: MenuName;
  icon: LucideIcon;
  apart: boolean;
  /** By what name its pages stand in sub-menus; undefined: it is a page itself. */
  folder: FolderName | undefined;
  entries: ShownEntry[];
}

/** The pages of level one of all features, in the order of the menu. */
export function entriesOf(features: readonly Feature[]): ShownEntry[] {
  const found = features.flatMap((feature) =>
    (feature.menu ?? []).map((entry) => ({
      ...entry,
      feature: feature.name,
      administration: PLACES.get(entry.place)?.administration ?? false,
    })),
  );
  const order = [...PLACES.keys()];
  return found.sort((one, other) => order.indexOf(one.place) - order.indexOf(other.place));
}

/** The page of a place, where these have one. */
export function pageAt(entries: readonly ShownEntry[], place: Place): ShownEntry | undefined {
  return entries.find((entry) => entry.place === place);
}

/** The menus that these pages stand in; the others are not shown. */
export function menusOf(entries: readonly ShownEntry[]): ShownMenu[] {
  return MENUS.map((menu) => ({
    name: menu.name,
    icon: menu.icon,
    apart: "apart" in menu,
    folder: "subs" in menu ? menu.name : undefined,
    entries: entries.filter(({ place }) => place.split("/")[0] === menu.name),
  })).filter(({ entries: below }) => below.length > 0);
}
