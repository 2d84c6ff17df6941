import type { Locale } from "antd/es/locale";
import i18next from "i18next";
import { initReactI18next } from "react-i18next";

export const LANGUAGES = { "zh-CN": "中文", en: "English" } as const; // each in its own words, so that everyone finds theirs
export type Language = keyof typeof LANGUAGES;

const STORED = "atoll.language";

// One file each, loaded when needed: a person reads one language at a time.
const WORDS: Record<Language, () => Promise<{ default: Record<string, unknown> }>> = {
  "zh-CN": () => import("@/locales/zh-CN.json"),
  en: () => import("@/locales/en.json"),
};
const ANTD: Record<Language, () => Promise<{ default: Locale }>> = {
  "zh-CN": () => import("antd/es/locale/zh_CN"),
  en: () => import("antd/es/locale/en_US"),
};

let antd: Locale | undefined;

export function antdWords(): Locale | undefined {
  return antd;
}

/** What the person chose, else what the browser asks for. */
export function preferredLanguage(): Language {
  const stored = localStorage.getItem(STORED);
  if (stored === "zh-CN" || stored === "en") return stored;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}

async function load(language: Language): Promise<void> {
  const [words, parts] = await Promise.all([WORDS[language](), ANTD[language]()]);
  i18next.addResourceBundle(language, "translation", words.default, true, true);
  antd = parts.default;
  document.documentElement.lang = language;
}

export async function startLanguage(): Promise<void> {
  const language = preferredLanguage();
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: {},
    interpolation: { escapeValue: false }, // React escapes
    returnNull: false,
  });
  await load(language);
  await i18next.changeLanguage(language);
}

export async function switchLanguage(language: Language): Promise<void> {
  await load(language);
  localStorage.setItem(STORED, language);
  await i18next.changeLanguage(language);
}
