import { describe, expect, test } from "vitest";
import { askedFor, isFiltered, searchOf } from "@/audit/search";

const NOW = Date.UTC(2026, 2, 4, 12, 0, 0);

describe("what stands in the address of the audit", () => {
  test("is kept where it means something, and dropped where it does not", () => {
    expect(
      searchOf({
        last: "day",
        actor: "ada",
        action: "user.create",
        object: 77,
        outcome: "denied",
        address: "198.51.100.7",
        record: "r1",
        other: "x",
      }),
    ).toEqual({
      last: "day",
      actor: "ada",
      action: "user.create",
      object: "77",
      outcome: "denied",
      address: "198.51.100.7",
      record: "r1",
    });
    const dropped = searchOf({ last: "year", actor: "", action: {}, outcome: "refused", since: "soon", until: 5 });
    expect(Object.values(dropped).every((each) => each === undefined)).toBe(true);
    expect(searchOf({ actor: "n".repeat(300) }).actor).toHaveLength(256);
  });

  test("has a span or two moments, never both", () => {
    const since = "2026-03-01T00:00:00.000Z";
    expect(searchOf({ since, until: "2026-03-02" })).toMatchObject({ since, until: "2026-03-02T00:00:00.000Z" });
    expect(searchOf({ last: "week", since })).toMatchObject({ last: "week", since: undefined });
  });

  test("leaves records out, unless it only says which one is open", () => {
    expect(isFiltered(searchOf({}))).toBe(false);
    expect(isFiltered(searchOf({ record: "r1" }))).toBe(false);
    expect(isFiltered(searchOf({ last: "hour" }))).toBe(true);
    expect(isFiltered(searchOf({ outcome: "done" }))).toBe(true);
  });
});

describe("what the server is asked for", () => {
  test("is what the address says, a span as the moment at which it began", () => {
    expect(askedFor({ last: "hour", actor: "ada", record: "r1" }, NOW)).toEqual({
      actor: "ada",
      since: "2026-03-04T11:00:00.000Z",
    });
    expect(askedFor({ last: "month" }, NOW)).toEqual({ since: "2026-02-02T12:00:00.000Z" });
    expect(askedFor({ since: "2026-03-01T00:00:00.000Z", outcome: "failed" }, NOW)).toEqual({
      since: "2026-03-01T00:00:00.000Z",
      outcome: "failed",
    });
  });
});
