import { describe, expect, test } from "vitest";
import { FEATURES } from "@/app/features";
import type { Feature } from "@/features/feature";
import { allows } from "@/features/feature";
import { homeOf, lacksOf } from "@/identity/admission";
import type { Permission } from "@/identity/session";

const features: readonly Feature[] = FEATURES;
const lacks = (permissions: Permission[], clusters: string[]) =>
  lacksOf({ permissions, virtual_clusters: clusters.map((name) => ({ id: name, name })) }, features);

describe("what somebody lacks before a page is of use", () => {
  test("is a role and a virtual cluster at first", () => {
    expect(lacks([], [])).toEqual(["role", "virtual_cluster"]);
  });

  test("is the other one when one is there", () => {
    expect(lacks(["tasks:read", "overview:read"], [])).toEqual(["virtual_cluster"]);
    expect(lacks([], ["default"])).toEqual(["role"]);
  });

  test("is nothing with both", () => {
    expect(lacks(["tasks:read", "overview:read"], ["default"])).toEqual([]);
  });

  test.each(["users:read", "groups:read", "roles:read", "nodes:read", "services:read", "runs:read"] as const)(
    "is no virtual cluster for who administers by %s",
    (permission) => {
      expect(lacks([permission], [])).toEqual([]);
    },
  );
});

describe("the first page", () => {
  test("is the overview for who may see it, else the first that they may see", () => {
    expect(homeOf({ permissions: ["overview:read", "tasks:read"] }, features, false)).toBe("/overview");
    expect(homeOf({ permissions: ["tasks:read"] }, features, false)).toBe("/training");
    expect(homeOf({ permissions: ["roles:read"] }, features, false)).toBe("/user-management");
  });

  test("is the overview, which says why it is closed, for who may see none", () => {
    expect(homeOf({ permissions: [] }, features, true)).toBe("/overview");
    expect(homeOf({ permissions: ["services:read"] }, features, true)).toBe("/services");
    expect(homeOf({ permissions: ["services:read"] }, features, false)).toBe("/overview"); // `./atoll dev` has none
    expect(homeOf({ permissions: [] }, features, false)).toBe("/overview");
  });
});

test("one of several permissions is enough", () => {
  expect(allows(["roles:read"], ["users:read", "roles:read"])).toBe(true);
  expect(allows(["roles:read"], "roles:read")).toBe(true);
  expect(allows(["roles:manage"], ["users:read", "roles:read"])).toBe(false);
  expect(allows([], "roles:read")).toBe(false);
});
