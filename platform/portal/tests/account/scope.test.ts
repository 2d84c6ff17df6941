import { describe, expect, test } from "vitest";
import { everything, terms, usualTerm } from "@/account/scope";
import type { Schemas } from "@/api/client";

type Options = Schemas["AccessTokenOptions"];

const options = (kinds: Record<string, string[]>, permissions: string[]) =>
  ({
    kinds: Object.entries(kinds).map(([name, of]) => ({ name, permissions: of })),
    permissions,
    most_days: 365,
    most: 50,
  }) as Options;

describe("all that somebody may do", () => {
  const platform = ["tasks:read", "tasks:create", "settings:read"];
  const annotation = ["settings:read"];

  test("is the kinds that they hold, so that it grows with what a later version adds", () => {
    const administration = ["users:read", "settings:read"];
    const all = options({ platform, annotation, administration }, [...platform, "users:read"]);
    expect(everything(all)).toEqual(["platform", "administration"]);
  });

  test("is the single permissions where they hold no kind as a whole, beside the kinds that they hold", () => {
    expect(everything(options({}, ["tasks:read"]))).toEqual(["tasks:read"]);
    expect(everything(options({ annotation }, ["settings:read", "tasks:read"]))).toEqual(["annotation", "tasks:read"]);
    expect(everything(options({}, []))).toEqual([]);
  });
});

describe("how long a token may live", () => {
  test.each([
    [365, [7, 30, 90, 365], 30],
    [400, [7, 30, 90, 365, 400], 30],
    [90, [7, 30, 90], 30],
    [10, [7, 10], 10],
    [1, [1], 1],
  ])("where it is %i days at most", (most, offered, usual) => {
    expect(terms(most)).toEqual(offered);
    expect(usualTerm(most)).toBe(usual);
    expect(terms(most)).toContain(usual);
  });
});
