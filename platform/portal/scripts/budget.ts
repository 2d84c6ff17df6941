/** Fails the build when the first load (entry, its style sheets, one language, the sign-in page) is above the budget. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUDGET_KIB = 350;
const DIST = new URL("../dist/", import.meta.url);

interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
  css?: string[];
}
const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", DIST), "utf8")) as Record<string, Chunk>;

const files = new Set<string>();
function add(key: string): void {
  const chunk = manifest[key];
  if (!chunk) throw new Error(`the manifest has no ${key}`);
  if (files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const style of chunk.css ?? []) files.add(style);
  for (const imported of chunk.imports ?? []) add(imported);
}

for (const [key, chunk] of Object.entries(manifest)) if (chunk.isEntry) add(key);
// What the first page asks for by itself; the Chinese words are the larger ones.
add("src/locales/zh-CN.json");
add("node_modules/antd/es/locale/zh_CN.js");
add("src/overview/overview-page.tsx");

const sizes = [...files].map(
  (file) => [file, gzipSync(readFileSync(new URL(file, DIST)), { level: 9 }).length] as const,
);
const total = sizes.reduce((sum, [, size]) => sum + size, 0) / 1024;
for (const [file, size] of sizes.sort((a, b) => b[1] - a[1])) {
  process.stdout.write(`${(size / 1024).toFixed(1).padStart(8)} KiB  ${file}\n`);
}
process.stdout.write(`${total.toFixed(1).padStart(8)} KiB  first load, gzip (budget ${BUDGET_KIB})\n`);
if (total > BUDGET_KIB) {
  process.stderr.write("The first load is above its budget.\n  Load what a first page does not show with import().\n");
  process.exitCode = 1;
}
