import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export interface Import {
  from: string;
  to: string;
  /** Only types: gone when it runs. */
  type: boolean;
  /** Loaded when it is asked for, and not before. */
  late: boolean;
}

/** The portal as a house: its files by their names below `src`, and what they import of each other. */
export interface House {
  text: ReadonlyMap<string, string>;
  /** Style sheets by their names. */
  sheets: ReadonlyMap<string, string>;
  imports: readonly Import[];
}

/** From the ground up; a folder imports from the floors below its own and from itself, never from its neighbours. */
export type Floors = readonly (readonly string[])[];

/** What domains stand on, and what composes them; every other folder with a feature.tsx is a domain. */
const OTHERS = ["identity", "files", "virtual-clusters", "tasks", "people"];

/** Folders of features that are domains. */
export function domainsOf(features: readonly { name: string }[]): string[] {
  return features.map(({ name }) => name.replaceAll("_", "-")).filter((folder) => !OTHERS.includes(folder));
}

export function floorsWith(domains: readonly string[]): Floors {
  return [
    ["locales"],
    ["api", "formats"],
    ["words"],
    ["features"],
    ["elements", "appearance"],
    ["identity"],
    ["files", "virtual-clusters"],
    ["tasks", "people"],
    domains,
    ["app"],
    ["main"],
  ];
}

const IMPORTS =
  /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;"]*?from\s+"([^"]+)"|import\(\s*"([^"]+)"\s*\)|import\s+"([^"]+)"/g;

/** Reads the folder `src` of a portal. */
export function houseOf(src: string): House {
  const all = readdirSync(src, { recursive: true, encoding: "utf8" });
  const files = all.filter((name) => /\.tsx?$/.test(name));
  const exists = (path: string) => statSync(`${src}/${path}`, { throwIfNoEntry: false })?.isFile() ?? false;

  function resolved(from: string, name: string): string | undefined {
    const near = name.startsWith(".") ? normalize(join(dirname(from), name)) : "";
    const base = name.startsWith("@/") ? name.slice(2) : near;
    return [base, `${base}.ts`, `${base}.tsx`].find(
      (path) => files.includes(path) || (/\.(json|css)$/.test(path) && exists(path)),
    );
  }

  const read = (names: string[]) => new Map(names.map((name) => [name, readFileSync(`${src}/${name}`, "utf8")]));
  const text = read(files);
  const imports = [...text].flatMap(([from, code]) =>
    [...code.matchAll(IMPORTS)].flatMap((match) => {
      const to = resolved(from, match[2] ?? match[3] ?? match[4] ?? "");
      return to ? [{ from, to, type: match[1] !== undefined, late: match[3] !== undefined }] : [];
    }),
  );
  return { text, sheets: read(all.filter((name) => name.endsWith(".css"))), imports };
}

export const folderOf = (file: string) => (file.includes("/") ? file.slice(0, file.indexOf("/")) : "main");

const floorOf = (file: string, floors: Floors) => floors.findIndex((floor) => floor.includes(folderOf(file)));

/** Folders that stand on no floor. */
export function homeless({ text }: House, floors: Floors): string[] {
  return [...new Set([...text.keys()].filter((file) => floorOf(file, floors) < 0).map(folderOf))];
}

/** Imports from a higher floor, or from a neighbour. */
export function upward({ imports }: House, floors: Floors): string[] {
  return imports
    .filter(({ from, to }) => folderOf(from) !== folderOf(to) && floorOf(to, floors) >= floorOf(from, floors))
    .map(({ from, to }) => `${from} imports ${to}`);
}

/** Circles of files, each told once. */
export function circles({ text, imports }: House): string[] {
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
  for (const file of text.keys()) visit(file, []);
  return [...found];
}

/** Who outside of the folder of a kind of tasks names its path, or the kind. */
export function naming({ text }: House, folder: string, { path, kind }: { path: string; kind: string }): string[] {
  const said = new RegExp(`["'\`]${path}(?=["'\`/?$])`);
  return [...text]
    .filter(([file]) => folderOf(file) !== folder && !file.includes(".gen."))
    .filter(([, code]) => said.test(code) || code.includes(`"${kind}"`))
    .map(([file]) => `${file} names ${path}`);
}
