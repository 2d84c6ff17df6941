import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInstance, type i18n as I18n } from "i18next";
import { initReactI18next } from "react-i18next";

export type Words = { [key: string]: string | Words };
export type Language = "en" | "zh-CN";

export const SRC = join(import.meta.dirname, "../../src");

function read(path: string): Words {
  return JSON.parse(readFileSync(path, "utf8")) as Words;
}

/** Folders of features: those that have words of their own. */
export const FOLDERS = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((path) => /^([a-z-]+)\/locales$/.exec(path)?.[1])
  .filter((folder) => folder !== undefined)
  .sort();

const named = (folder: string) => folder.replaceAll("-", "_");

/** Every namespace of the portal but the names, by its own name. */
export function allWords(language: Language): Record<string, Words> {
  return {
    common: read(`${SRC}/locales/${language}.json`),
    codes: read(`${SRC}/locales/codes.${language}.gen.json`), // made from what the server declares
    ...Object.fromEntries(
      FOLDERS.map((folder) => [named(folder), read(`${SRC}/${folder}/locales/${language}.json`)] as const),
    ),
  };
}

/** What each feature is called where it is not loaded yet. */
export function allNames(language: Language): Record<string, Words> {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(
    FOLDERS.filter((folder) => files.includes(`${folder}/locales/names.${language}.json`)).map(
      (folder) => [named(folder), read(`${SRC}/${folder}/locales/names.${language}.json`)] as const,
    ),
  );
}

/** i18next with all words there at once. */
export async function speaking(language: Language): Promise<I18n> {
  const i18n = createInstance();
  await i18n.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    defaultNS: "common",
    interpolation: { escapeValue: false },
    resources: { [language]: { ...allWords(language), names: allNames(language) } },
  });
  return i18n;
}

/** `{a: {b: "c"}}` → `a.b` → `c`. */
export function flat(words: Words, prefix = ""): Map<string, string> {
  return new Map(
    Object.entries(words).flatMap(([key, value]) =>
      typeof value === "string" ? [[prefix + key, value] as const] : [...flat(value, `${prefix}${key}.`)],
    ),
  );
}
