import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FEATURES } from "@/app/features";
import type { Feature, MenuEntry } from "@/features/feature";
import { entriesOf, menusOf } from "@/features/menu";
import { MENUS, PLACES, type Place } from "@/features/places";
import { allWords, SRC } from "../support/words";

const features: readonly Feature[] = FEATURES;
const rows = readFileSync(join(SRC, "../../../tests/features.tsv"), "utf8").split("\n");

/** What a row of the list of features names, as the places are called: `a, b and c` behind these words. */
function named(id: number, behind: string, before: string): string[] {
  const text = rows.find((row) => row.startsWith(`${id}\t`))?.split("\t")[2] ?? "";
  const list = text.slice(text.indexOf(behind) + behind.length, text.lastIndexOf(before));
  return list.split(/, | and /).map((each) => each.trim().replaceAll(" ", "_"));
}

function subsOf(menu: string): string[] {
  const found = MENUS.find(({ name }) => name === menu);
  return found && "subs" in found ? found.subs.map(({ name }) => name) : [];
}

function page(place: Place, to: string): Feature {
  const entry = { name: "menu", to, icon: MENUS[0].icon, needs: "tasks:read", place } satisfies MenuEntry;
  return { name: to, words: {} as never, menu: [entry] };
}

describe("the side menu", () => {
  test("has the twelve menus of the manual in its order, and user management behind them", () => {
    const twelve = named(48, "offers ", " (12 menus)");
    expect(twelve).toHaveLength(12);
    expect(MENUS.map(({ name }) => name)).toEqual([...twelve, "user_management"]);
  });

  test.each([
    [49, "data_management"],
    [50, "model_training"],
    [51, "model_management"],
    [52, "inference_service"],
  ] as const)("has the sub-menus of row %i in their order", (row, menu) => {
    // Row 55 calls the list of trainings so; the word of the kind of tasks is its own feature's.
    const subs = named(row, "sub-menus ", ".").map((sub) => (sub === "training" ? "training_list" : sub));
    expect(subsOf(menu)).toEqual(subs);
  });

  test("keeps virtual clusters and tasks of everybody for who administers, and shows work to everybody", () => {
    expect(PLACES.get("virtual_cluster")).toEqual({ administration: true });
    expect(PLACES.get("task_management")).toEqual({ administration: true });
    const work = [
      "overview",
      "code_development",
      "model_training/training_list",
      "my_models",
      "image_management",
      "settings",
    ];
    for (const place of work) expect(PLACES.get(place as Place)?.administration ?? false, place).toBe(false);
    expect([...PLACES.keys()].filter((place) => place.startsWith("user_management/"))).toHaveLength(4);
    for (const [place, { administration }] of PLACES) {
      if (place.startsWith("user_management/")) expect(administration, place).toBe(true);
    }
  });

  test("gives each page a place of its own", () => {
    const places = entriesOf(features).map(({ place }) => place);
    expect(new Set(places).size).toBe(places.length);
  });

  test("is in the manual's order whatever order the features are in, and shows no menu without a page", () => {
    const some = [page("settings", "/s"), page("inference_service/edge_inference", "/e"), page("overview", "/o")];
    some.push(page("inference_service/central_inference", "/c"));
    const menus = menusOf(entriesOf(some));
    expect(menus.map(({ name, entries }) => [name, entries.map(({ to }) => to)])).toEqual([
      ["overview", ["/o"]],
      ["inference_service", ["/c", "/e"]],
      ["settings", ["/s"]],
    ]);
    expect(menus.map(({ folder }) => folder)).toEqual([undefined, "inference_service", undefined]);
    expect(menus.some(({ apart }) => apart)).toBe(false);
    expect(menusOf(entriesOf([page("user_management/roles", "/r")]))[0]?.apart).toBe(true);
  });

  test.each(["en", "zh-CN"] as const)("has words in %s for every menu that has no page of its own", (language) => {
    const words = allWords(language).common?.menu as object;
    const folders = MENUS.filter((menu) => "subs" in menu).map(({ name }) => name);
    expect(Object.keys(words).sort()).toEqual([...folders].sort());
  });
});
