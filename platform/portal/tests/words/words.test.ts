import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import en from "@/locales/en.json";
import zh from "@/locales/zh-CN.json";

type Words = { [key: string]: string | Words };

function flat(words: Words, prefix = ""): Map<string, string> {
  return new Map(
    Object.entries(words).flatMap(([key, value]) =>
      typeof value === "string" ? [[prefix + key, value] as const] : [...flat(value, `${prefix}${key}.`)],
    ),
  );
}

/** English has two plural forms and Chinese one; they are one key. */
const base = (key: string) => key.replace(/_(one|other)$/, "");
const variables = (text: string) => new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]));
const english = flat(en);
const chinese = flat(zh);

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes(".gen."))
    .map((name) => readFileSync(`${folder}/${name}`, "utf8"));
}

describe("the words of the portal", () => {
  test("both languages have the same keys", () => {
    expect([...new Set([...chinese.keys()].map(base))].sort()).toEqual(
      [...new Set([...english.keys()].map(base))].sort(),
    );
  });

  test("a text has the same variables in both languages", () => {
    for (const [key, text] of chinese) {
      const other = english.get(key);
      if (other !== undefined)
        expect({ key, variables: variables(text) }).toEqual({ key, variables: variables(other) });
    }
  });

  test("no text is empty, and no Chinese text was left in English", () => {
    const sameInBoth = new Set([
      "product.name",
      "shell.key_escape",
      "overview.share",
      "training.rank",
      "training.rank_named",
    ]);
    for (const [key, text] of chinese) {
      expect(text, key).not.toBe("");
      const technical =
        /^[\x20-\x7e{}·–]*$/.test(text) && !/[a-z]{4,} [a-z]{2,}/i.test(text.replace(/\{\{\w+\}\}/g, ""));
      if (!sameInBoth.has(key) && !technical) expect(/\p{Script=Han}/u.test(text), `${key}: ${text}`).toBe(true);
    }
  });

  test("every key that the code names exists, and every key is named by the code", () => {
    const code = sources(new URL("../../src", import.meta.url).pathname).join("\n");
    const known = new Set([...english.keys()].map(base));
    const named = [...code.matchAll(/\bt\(\s*"([\w.]+)"/g)].map((match) => match[1] ?? "");
    for (const key of named) expect(known.has(key), `t("${key}")`).toBe(true);
    // Keys made at run time: `state.${state}` names everything below `state.`.
    const stems = [...code.matchAll(/`([a-z_]+\.(?:[a-z_.]*_)?)\$\{/g)].map((match) => match[1] ?? "");
    const literal = new Set([...code.matchAll(/"([a-z_]+(?:\.[a-z_]+)+)"/g)].map((match) => match[1] ?? ""));
    const idle = [...known].filter((key) => !literal.has(key) && !stems.some((stem) => key.startsWith(stem)));
    expect(idle).toEqual([]);
  });
});
