import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allNames, allWords, flat, SRC, type Words } from "../support/words";

/** English has two plural forms and Chinese one; they are one key. */
const base = (key: string) => key.replace(/_(one|other)$/, "");
const variables = (text: string) => new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]));

const english: Record<string, Words> = { ...allWords("en"), names: allNames("en") };
const chinese: Record<string, Words> = { ...allWords("zh-CN"), names: allNames("zh-CN") };

describe.each(Object.keys(english))("the words of %s", (namespace) => {
  const en = flat(english[namespace] as Words);
  const zh = flat(chinese[namespace] as Words);

  test("have the same keys in both languages", () => {
    expect([...new Set([...zh.keys()].map(base))].sort()).toEqual([...new Set([...en.keys()].map(base))].sort());
  });

  test("have the same variables in both languages", () => {
    for (const [key, text] of zh) {
      const other = en.get(key);
      if (other !== undefined)
        expect({ key, variables: variables(text) }).toEqual({ key, variables: variables(other) });
    }
  });

  test("are never empty, and nothing was left in English", () => {
    const sameInBoth = new Set([
      "product.name",
      "shell.key_escape",
      "share",
      "share_less",
      "privileged",
      "field_privileged",
      "rank",
      "rank_named",
      "action_named",
    ]);
    for (const [key, text] of zh) {
      expect(text, key).not.toBe("");
      const technical =
        /^[\x20-\x7e{}·–]*$/.test(text) && !/[a-z]{4,} [a-z]{2,}/i.test(text.replace(/\{\{\w+\}\}/g, ""));
      if (!sameInBoth.has(key) && !technical) expect(/\p{Script=Han}/u.test(text), `${key}: ${text}`).toBe(true);
    }
  });
});

describe("the words of the portal", () => {
  const code = readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes(".gen."))
    .map((name) => readFileSync(`${SRC}/${name}`, "utf8"))
    .join("\n");
  // That a named key exists is checked by its type. Codes are named by the server, names by the list of features.
  const literal = new Set([...code.matchAll(/"((?:[a-z_]+:)?[a-z0-9_]+(?:\.[a-z0-9_]+)*)"/g)].map((match) => match[1]));
  // Keys made at run time: `state.${state}` names everything below `state.`.
  const stems = [...code.matchAll(/`((?:[a-z_]+:)?[a-z_.]*[._])\$\{/g)].map((match) => match[1] ?? "");

  test.each(Object.keys(allWords("en")).filter((name) => name !== "codes"))("%s has no idle keys", (namespace) => {
    const known = new Set([...flat(english[namespace] as Words).keys()].map(base));
    const idle = [...known].filter((key) => {
      const said = [key, `${namespace}:${key}`];
      const made = (stem: string) => said.some((each) => each.startsWith(stem));
      return !said.some((each) => literal.has(each)) && !stems.some(made);
    });
    expect(idle).toEqual([]);
  });
});
