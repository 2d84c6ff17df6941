import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import { byKind, covered, isImplied, withGrant, withoutGrant } from "@/roles/grants";
import { allWords, type Language } from "../support/words";

const KINDS: Schemas["Permissions"]["kinds"] = [
  { name: "platform", permissions: ["tasks:read", "tasks:create", "images:read"] },
  { name: "annotation", permissions: ["images:read"] },
  { name: "administration", permissions: ["users:read", "audit:read"] },
];

const ALL: Schemas["Permissions"]["permissions"] = [
  { name: "audit:read", kinds: ["administration"] },
  { name: "images:read", kinds: ["platform", "annotation"] },
  { name: "tasks:read", kinds: ["platform"] },
  { name: "users:read", kinds: ["administration"] },
];

describe("the grants of a role", () => {
  test("come to what their kinds bring", () => {
    expect([...covered(KINDS, ["annotation", "audit:read"])]).toEqual(["images:read"]);
    expect([...covered(KINDS, [])]).toEqual([]);
  });

  test("imply annotation by the platform, and nothing else by anything", () => {
    expect(isImplied(["platform"], "annotation")).toBe(true);
    expect(isImplied(["annotation", "administration"], "annotation")).toBe(false);
    expect(isImplied(["annotation"], "platform")).toBe(false);
    expect(isImplied(["platform"], "administration")).toBe(false);
  });

  test("drop what a kind brings when it is chosen, and nothing else", () => {
    expect(withGrant(KINDS, ["tasks:read", "audit:read"], "platform")).toEqual(["audit:read", "platform"]);
    expect(withGrant(KINDS, ["annotation", "tasks:read"], "platform")).toEqual(["platform"]);
    expect(withGrant(KINDS, ["platform"], "audit:read")).toEqual(["platform", "audit:read"]);
    expect(withGrant(KINDS, ["audit:read"], "audit:read")).toEqual(["audit:read"]);
    expect(withoutGrant(["platform", "audit:read"], "platform")).toEqual(["audit:read"]);
  });

  test("stand below the first kind that has them, annotation below the platform", () => {
    expect(byKind(KINDS, ALL)).toEqual([
      { kind: "platform", permissions: ["images:read", "tasks:read"] },
      { kind: "administration", permissions: ["audit:read", "users:read"] },
    ]);
    expect(byKind(KINDS, [])).toEqual([]);
    expect(byKind(KINDS, [{ name: "images:read", kinds: ["annotation"] }])).toEqual([
      { kind: "platform", permissions: ["images:read"] },
    ]);
  });
});

describe.each(["en", "zh-CN"] as Language[])("the words of permissions in %s", (language) => {
  const contract = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")) as {
    components: { schemas: { Permission: { enum: string[] } } };
  };
  const words = allWords(language).roles as Record<string, string>;

  test("are there for each that the server knows, and for no other", () => {
    const known = Object.keys(words)
      .filter((key) => key.startsWith("permission_"))
      .sort();
    const needed = contract.components.schemas.Permission.enum
      .map((name) => `permission_${name.replaceAll(":", "_")}`)
      .sort();
    expect(known).toEqual(needed);
  });

  test("are others for each", () => {
    const said = Object.entries(words).flatMap(([key, text]) => (key.startsWith("permission_") ? [text] : []));
    expect(new Set(said).size).toBe(said.length);
  });
});
