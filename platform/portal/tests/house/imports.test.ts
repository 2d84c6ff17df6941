import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { FEATURES } from "@/app/features";
import type { Feature } from "@/features/feature";
import { SRC } from "../support/words";

/** What domains stand on, and what composes them; every other folder with a feature.tsx is a domain. */
const OTHERS = ["identity", "files", "virtual-clusters", "tasks"];

function domains(): string[] {
  const folders = (FEATURES as readonly Feature[]).map((feature) => feature.name.replaceAll("_", "-"));
  return folders.filter((folder) => !OTHERS.includes(folder));
}

/** From the ground up; a folder imports from the floors below its own and from itself, never from its neighbours. */
const FLOORS: readonly (readonly string[])[] = [
  ["locales"],
  ["api", "formats"],
  ["words"],
  ["features"],
  ["elements", "appearance"],
  ["identity"],
  ["files", "virtual-clusters"],
  ["tasks"],
  domains(),
  ["app"],
  ["main"],
];

interface Import {
  from: string;
  to: string;
  /** Only types: gone when it runs. */
  type: boolean;
}

const IMPORTS =
  /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;"]*?from\s+"([^"]+)"|import\(\s*"([^"]+)"\s*\)|import\s+"([^"]+)"/g;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));

function resolved(from: string, name: string): string | undefined {
  const base = name.startsWith("@/") ? name.slice(2) : name.startsWith(".") ? normalize(join(dirname(from), name)) : "";
  return [base, `${base}.ts`, `${base}.tsx`].find(
    (path) => files.includes(path) || (path.endsWith(".json") && exists(path)),
  );
}

function exists(path: string): boolean {
  return statSync(`${SRC}/${path}`, { throwIfNoEntry: false })?.isFile() ?? false;
}

const text = new Map(files.map((name) => [name, readFileSync(`${SRC}/${name}`, "utf8")]));
const imports: Import[] = [...text].flatMap(([from, code]) =>
  [...code.matchAll(IMPORTS)].flatMap((match) => {
    const to = resolved(from, match[2] ?? match[3] ?? match[4] ?? "");
    return to ? [{ from, to, type: match[1] !== undefined }] : [];
  }),
);

const folderOf = (file: string) => (file.includes("/") ? file.slice(0, file.indexOf("/")) : "main");
const floorOf = (file: string) => FLOORS.findIndex((floor) => floor.includes(folderOf(file)));

/** Circles of files, each told once. */
function circles(): string[] {
  const next = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const found = new Set<string>();
  function visit(file: string, way: readonly string[]): void {
    const at = way.indexOf(file);
    if (at >= 0) found.add([...way.slice(at), file].join(" → "));
    if (at >= 0 || done.has(file)) return;
    for (const { to } of next.get(file) ?? []) visit(to, [...way, file]);
    done.add(file);
  }
  for (const file of files) visit(file, []);
  return [...found];
}

describe("the folders of the portal", () => {
  test("each has its floor", () => {
    expect([...new Set(files.filter((file) => floorOf(file) < 0).map(folderOf))]).toEqual([]);
  });

  test("the imports are read: every file but the entry is imported by some other", () => {
    const imported = new Set(imports.map(({ to }) => to));
    const glob = new Set(["main.tsx", "words/resources.ts"]); // the entry, and what only says types
    expect(files.filter((file) => !imported.has(file) && !glob.has(file))).toEqual([]);
  });

  test("import only from below, types too", () => {
    const up = imports.filter(({ from, to }) => folderOf(from) !== folderOf(to) && floorOf(to) >= floorOf(from));
    expect(up.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  test("the frame knows a domain by its feature alone, and only in the one list", () => {
    const known = imports.filter(({ from, to }) => folderOf(from) === "app" && domains().includes(folderOf(to)));
    expect([...new Set(known.map(({ from }) => from))]).toEqual(["app/features.ts"]);
    expect(known.filter(({ to }) => !to.endsWith("/feature.tsx"))).toEqual([]);
  });

  test("have no circle of files, types and lazy pages included", () => {
    expect(circles()).toEqual([]);
  });

  test("only the feature that brings a kind of tasks names its path and the kind", () => {
    for (const feature of FEATURES as readonly Feature[]) {
      for (const { path, kind } of feature.kinds ?? []) {
        const named = [...text].filter(
          ([file, code]) =>
            folderOf(file) !== feature.name.replaceAll("_", "-") &&
            !file.includes(".gen.") &&
            (new RegExp(`["'\`]${path}(?=["'\`/?$])`).test(code) || code.includes(`"${kind}"`)),
        );
        expect(named.map(([file]) => `${file} names ${path}`)).toEqual([]);
      }
    }
  });
});
