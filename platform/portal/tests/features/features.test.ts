import { existsSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FEATURES } from "@/app/features";
import type { Feature } from "@/features/feature";
import { allNames, SRC } from "../support/words";

const features: readonly Feature[] = FEATURES;
const folderOf = (feature: Feature) => feature.name.replaceAll("_", "-");

describe("the list of features", () => {
  test("has every folder that has a feature.tsx, under the folder's name", () => {
    const there = readdirSync(SRC).filter((folder) => existsSync(`${SRC}/${folder}/feature.tsx`));
    expect(features.map(folderOf).sort()).toEqual(there.sort());
  });

  test.each(["en", "zh-CN"] as const)("names in %s all that is shown before a feature is loaded", (language) => {
    const names = allNames(language);
    for (const feature of features) {
      const needed = [
        ...(feature.menu ?? []).flatMap((entry) => [entry.name, ...(entry.form ? [entry.form.name] : [])]),
        ...(feature.search ? ["search"] : []),
        ...(feature.kinds ?? []).flatMap((kind) => ["mine", ...(kind.form ? ["new", "first"] : [])]),
      ];
      expect(Object.keys(names[feature.name] ?? {}).sort(), feature.name).toEqual([...new Set(needed)].sort());
    }
  });

  test("shows only words that some feature has", () => {
    const known = features.map((feature) => feature.name);
    const shown = features
      .flatMap((feature) => feature.routes ?? [])
      .flatMap((route) => (route.options as { staticData?: { shows?: string[] } }).staticData?.shows ?? []);
    expect(shown.length).toBeGreaterThan(0);
    expect(known).toEqual(expect.arrayContaining(shown));
  });

  test("has each kind of tasks once, and its pages among the routes of the feature that brings it", () => {
    const kinds = features.flatMap((feature) => feature.kinds ?? []);
    expect(new Set(kinds.map((kind) => kind.kind)).size).toBe(kinds.length);
    for (const feature of features) {
      const paths = (feature.routes ?? []).map((route) => (route.options as { path?: string }).path);
      for (const kind of feature.kinds ?? []) {
        expect(paths).toEqual(expect.arrayContaining([kind.path, `${kind.path}/$id`]));
        if (kind.form) expect(paths).toContain(kind.form.path);
        expect(new Set(kind.tabs.map((tab) => tab.id)).size).toBe(kind.tabs.length);
      }
    }
  });
});
