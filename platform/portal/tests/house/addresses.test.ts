// @vitest-environment happy-dom
/** Every page of the portal is looked at by some spec in Chromium: tests/e2e/addresses.json says by which. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { QueryClient } from "@tanstack/react-query";
import { describe, expect, test } from "vitest";
import { makeRouter } from "@/app/router";
import { SRC } from "../support/words";

const E2E = join(SRC, "..", "..", "..", "tests", "e2e");
const listed = JSON.parse(readFileSync(join(E2E, "addresses.json"), "utf8")) as Record<string, string[]>;
const families = [...new Set(Object.values(listed).flat())];

describe("the addresses that specs look at", () => {
  test("are the routes of the portal, all of them", () => {
    const routes = Object.keys(makeRouter(new QueryClient()).routesByPath);
    expect(routes.length).toBeGreaterThan(30);
    expect(Object.keys(listed).sort()).toEqual(routes.sort());
  });

  test("have somebody who looks at each", () => {
    expect(Object.entries(listed).filter(([, by]) => by.length === 0)).toEqual([]);
  });

  test.each(families)("are read from the list by %s", (family) => {
    const path = join(E2E, `${family}.spec.ts`);
    expect(existsSync(path)).toBe(true);
    const spec = readFileSync(path, "utf8");
    // By its name, which it hands to the function that reads the list.
    expect(spec.includes(`"${family}"`) && spec.includes("addressesOf(page")).toBe(true);
  });
});
