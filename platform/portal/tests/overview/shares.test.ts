import { describe, expect, test } from "vitest";
import { scopeOf } from "@/overview/search";
import { percents } from "@/overview/shares";

describe("percents", () => {
  test("of nothing are nothing", () => {
    expect(percents([])).toEqual([]);
    expect(percents([0, 0])).toEqual([0, 0]);
  });

  test("are 100 together, and what rounding loses goes to those that lost most", () => {
    expect(percents([1, 1, 1])).toEqual([34, 33, 33]);
    expect(percents([1, 2])).toEqual([33, 67]);
    expect(percents([5, 0, 3])).toEqual([63, 0, 37]);
    expect(percents([1, 999])).toEqual([0, 100]);
    for (const counts of [
      [7, 11, 13, 17, 19],
      [1, 1, 1, 1, 1, 1, 1],
      [10_000, 1, 1],
    ]) {
      expect(percents(counts).reduce((sum, share) => sum + share, 0)).toBe(100);
    }
  });

  test("are the counts themselves of a hundred", () => {
    expect(percents([12, 88])).toEqual([12, 88]);
  });
});

test("an address says whose tasks and where; what it does not know is dropped", () => {
  expect(scopeOf({ owner: "all", virtual_cluster: "vision", more: 1 })).toEqual({
    owner: "all",
    virtual_cluster: "vision",
  });
  expect(scopeOf({ owner: "root", virtual_cluster: "" })).toEqual({ owner: undefined, virtual_cluster: undefined });
  expect(scopeOf({ virtual_cluster: 7 }).virtual_cluster).toBeUndefined();
  expect(scopeOf({ virtual_cluster: "x".repeat(200) }).virtual_cluster).toHaveLength(63);
});
