/** What docs/manage.md and docs/manage.zh.md call by a name in bold is called so by the portal; both say the same. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allNames, allWords, flat, SRC } from "../support/words";

const PAGES = { en: "manage.md", "zh-CN": "manage.zh.md" } as const;
const LANGUAGES = ["en", "zh-CN"] as const;

const textOf = (language: keyof typeof PAGES) => readFileSync(join(SRC, "../../../docs", PAGES[language]), "utf8");

function bold(text: string): string[] {
  return [...new Set([...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, words = ""]) => words))];
}

/** What stands on a line, but for the words: headings, rows with their cells, points of a list. */
function shape(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => /^(#+ |\||\* |\d\. )/.test(line))
    .map((line) => (line.startsWith("|") ? `| ${line.split("|").length}` : (/^\S+/.exec(line)?.[0] ?? "")));
}

describe.each(LANGUAGES)("the page for administrators of people, %s", (language) => {
  test("calls things as the portal does", () => {
    const known = new Set([...flat(allWords(language)).values(), ...flat(allNames(language)).values()]);
    const names = bold(textOf(language));
    expect(names.length).toBeGreaterThan(60);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});

test("it says in both languages the same, point by point", () => {
  expect(shape(textOf("zh-CN"))).toEqual(shape(textOf("en")));
});
