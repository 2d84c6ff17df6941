/**
 * Fails the build when the first load of any page is above the budget: the entry, the page, all that they import, their
 * style sheets and words. The pages are those of the features: whatever a `feature.tsx` imports lazily.
 */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUDGET_KIB = 350;
const DIST = new URL("../dist/", import.meta.url);
/** The Chinese words are the larger ones. */
const LANGUAGE = "zh-CN";

interface Chunk {
  file: string;
  src?: string;
  isEntry?: boolean;
  imports?: string[];
  dynamicImports?: string[];
  css?: string[];
}
const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", DIST), "utf8")) as Record<string, Chunk>;

function chunkOf(key: string): Chunk {
  const chunk = manifest[key];
  if (!chunk) throw new Error(`the manifest has no ${key}`);
  return chunk;
}

/** What is fetched with a chunk. */
function add(key: string, files: Set<string>): void {
  const chunk = chunkOf(key);
  if (files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const style of chunk.css ?? []) files.add(style);
  for (const imported of chunk.imports ?? []) add(imported, files);
}

const sizes = new Map<string, number>();
function kib(files: Iterable<string>): number {
  let total = 0;
  for (const file of files) {
    const size = sizes.get(file) ?? gzipSync(readFileSync(new URL(file, DIST)), { level: 9 }).length;
    sizes.set(file, size);
    total += size;
  }
  return total / 1024;
}

/** What every page asks for before it shows anything. */
function shared(): Set<string> {
  const files = new Set<string>();
  for (const [key, chunk] of Object.entries(manifest)) if (chunk.isEntry) add(key, files);
  for (const key of [
    `src/locales/${LANGUAGE}.json`,
    `src/locales/codes.${LANGUAGE}.gen.json`,
    `src/app/names.${LANGUAGE}.ts`,
    "node_modules/antd/es/locale/zh_CN.js",
    // The words of the frame.
    `src/identity/locales/${LANGUAGE}.json`,
    `src/virtual-clusters/locales/${LANGUAGE}.json`,
  ])
    add(key, files);
  return files;
}

const entry = Object.values(manifest).find((chunk) => chunk.isEntry);
const pages = (entry?.dynamicImports ?? []).filter((key) => /^src\/[a-z-]+\/[a-z-]*page\.tsx$/.test(key)).sort();
if (pages.length === 0) throw new Error("the manifest names no page");

/** A page with its words and those that its route says it shows. */
function pageFiles(page: string): Set<string> {
  const files = shared();
  add(page, files);
  const folder = page.split("/")[1] ?? "";
  const feature = readFileSync(new URL(`../src/${folder}/feature.tsx`, import.meta.url), "utf8");
  const name = page.slice(page.lastIndexOf("/") + 1, -".tsx".length);
  const route = feature.split("createRoute(").find((each) => each.includes(`import("./${name}")`));
  if (!route) throw new Error(`${folder}/feature.tsx has no route that imports ./${name}`);
  const shows = /shows: \[([^\]]*)\]/.exec(route)?.[1] ?? "";
  for (const words of [folder, ...[...shows.matchAll(/"([a-z_]+)"/g)].map((match) => match[1] ?? "")])
    add(`src/${words.replaceAll("_", "-")}/locales/${LANGUAGE}.json`, files);
  // A page that has tabs shows the first of them at once.
  if (/detail-page/.test(page)) add("src/tasks/detail/overview-tab.tsx", files);
  return files;
}

const base = kib(shared());
process.stdout.write(`${base.toFixed(1).padStart(8)} KiB  shared by all pages\n`);
for (const page of pages) {
  const total = kib(pageFiles(page));
  process.stdout.write(`${total.toFixed(1).padStart(8)} KiB  ${page}\n`);
  if (total <= BUDGET_KIB) continue;
  process.stderr.write(
    `The first load of ${page} is above its budget of ${BUDGET_KIB} KiB.\n  Load what a first page does not show with import().\n`,
  );
  process.exitCode = 1;
}
process.stdout.write(`First load by page, gzip; the budget of each is ${BUDGET_KIB} KiB.\n`);
