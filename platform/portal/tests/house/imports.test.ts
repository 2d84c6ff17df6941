import { describe, expect, test } from "vitest";
import { FEATURES } from "@/app/features";
import type { Feature } from "@/features/feature";
import { circles, domainsOf, floorsWith, folderOf, homeless, houseOf, naming, upward } from "../support/house";
import { SRC } from "../support/words";

const features: readonly Feature[] = FEATURES;
const domains = domainsOf(features);
const floors = floorsWith(domains);
const house = houseOf(SRC);

describe("the folders of the portal", () => {
  test("each has its floor", () => {
    expect(homeless(house, floors)).toEqual([]);
  });

  test("the imports are read: every file but the entry is imported by some other", () => {
    const imported = new Set(house.imports.map(({ to }) => to));
    const glob = new Set(["main.tsx", "words/resources.ts"]); // the entry, and what only says types
    expect([...house.text.keys()].filter((file) => !imported.has(file) && !glob.has(file))).toEqual([]);
  });

  test("import only from below, types too", () => {
    expect(upward(house, floors)).toEqual([]);
  });

  test("the frame knows a domain by its feature alone, and only in the one list", () => {
    const known = house.imports.filter(({ from, to }) => folderOf(from) === "app" && domains.includes(folderOf(to)));
    expect([...new Set(known.map(({ from }) => from))]).toEqual(["app/features.ts"]);
    expect(known.filter(({ to }) => !to.endsWith("/feature.tsx"))).toEqual([]);
  });

  test("have no circle of files, types and lazy pages included", () => {
    expect(circles(house)).toEqual([]);
  });

  test("only the feature that brings a kind of tasks names its path and the kind", () => {
    const kinds = features.flatMap((feature) => (feature.kinds ?? []).map((kind) => ({ feature, kind })));
    expect(kinds.length).toBeGreaterThan(0);
    expect(kinds.flatMap(({ feature, kind }) => naming(house, feature.name.replaceAll("_", "-"), kind))).toEqual([]);
  });
});
