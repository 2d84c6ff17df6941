import { addWords } from "@/words/language";
import { FEATURES } from "./features";

/** `../virtual-clusters/locales/names.en.json` → `virtual_clusters`. */
function featureOf(path: string): string {
  return (path.split("/").at(-3) ?? "").replaceAll("-", "_");
}

async function byFeature(files: Promise<{ default: object }>): Promise<{ default: object }> {
  const entries = Object.entries((await files).default);
  return { default: Object.fromEntries(entries.map(([path, names]) => [featureOf(path), names])) };
}

/** Make the words of all features known, to be loaded with their pages; their names come at once. */
export function addFeatureWords(): void {
  addWords("names", {
    en: () => byFeature(import("./names.en")),
    "zh-CN": () => byFeature(import("./names.zh-CN")),
  });
  for (const { name, words } of FEATURES) addWords(name, words);
}
