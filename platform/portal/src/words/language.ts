import type { Locale } from "antd/es/locale";
import i18next, { type BackendModule } from "i18next";
import { initReactI18next } from "react-i18next";

export const LANGUAGES = { "zh-CN": "中文", en: "English" } as const; // each in its own words, so that everyone finds theirs
export type Language = keyof typeof LANGUAGES;

/** The words of a namespace by language, each a file of its own: a person reads one language at a time. */
export type WordLoaders = Record<Language, () => Promise<{ default: object }>>;

const STORED = "atoll.language";

const ANTD: Record<Language, () => Promise<{ default: Locale }>> = {
  "zh-CN": () => import("antd/es/locale/zh_CN"),
  en: () => import("antd/es/locale/en_US"),
};

/** What every page needs: the shell's words, and those of the codes by which the server tells what went wrong. */
const namespaces = new Map<string, WordLoaders>([
  ["common", { en: () => import("@/locales/en.json"), "zh-CN": () => import("@/locales/zh-CN.json") }],
  [
    "codes",
    { en: () => import("@/locales/codes.en.gen.json"), "zh-CN": () => import("@/locales/codes.zh-CN.gen.json") },
  ],
]);

const files: BackendModule & { callbackApi: true } = {
  type: "backend",
  callbackApi: true,
  init: () => undefined,
  read(language, namespace, done) {
    const loaders = namespaces.get(namespace);
    if (!loaders) return done(new Error(`no feature has the words ${namespace}`), false);
    loaders[language as Language]().then(
      (words) => done(null, words.default as Record<string, unknown>),
      (error: Error) => done(error, true),
    );
  },
};

/** Make the words of a feature known; they are loaded when a page asks for them. */
export function addWords(namespace: string, loaders: WordLoaders): void {
  namespaces.set(namespace, loaders);
}

/** Load what a page shows, beside the page itself. */
export async function loadWords(...names: string[]): Promise<void> {
  const missing = names.filter((name) => !i18next.hasLoadedNamespace(name));
  if (missing.length > 0) await i18next.loadNamespaces(missing);
}

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

function use(language: Language, words: Locale): void {
  antd = words;
  document.documentElement.lang = language;
}

export async function startLanguage(): Promise<void> {
  const language = preferredLanguage();
  await Promise.all([
    ANTD[language]().then((words) => use(language, words.default)),
    i18next
      .use(files)
      .use(initReactI18next)
      .init({
        lng: language,
        supportedLngs: Object.keys(LANGUAGES),
        load: "currentOnly",
        fallbackLng: false,
        ns: ["common", "codes", "names"],
        defaultNS: "common",
        interpolation: { escapeValue: false }, // React escapes
        returnNull: false,
      }),
  ]);
}

let wanted: Language | undefined;

/** The last one holds, whichever has its words first. */
export async function switchLanguage(language: Language): Promise<void> {
  wanted = language;
  localStorage.setItem(STORED, language);
  const words = (await ANTD[language]()).default;
  if (wanted !== language) return;
  use(language, words);
  await i18next.changeLanguage(language);
}
