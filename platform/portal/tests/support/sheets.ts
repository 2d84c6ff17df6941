/** Which classes the portal's style sheets style, and whether what uses a class brings its sheet with it. */
import { folderOf, type House } from "./house";

/** The selectors of a sheet, each with the classes of ours that it names. */
function selectorsOf(css: string): { selector: string; classes: string[] }[] {
  const bare = css.replace(/\/\*[\s\S]*?\*\//g, "");
  return [...bare.matchAll(/([^{}]+)\{/g)]
    .map((match) => (match[1] ?? "").trim())
    .filter((head) => !head.startsWith("@"))
    .flatMap((head) => head.split(/,(?![^(]*\))/))
    .map((selector) => ({
      selector: selector.trim(),
      classes: [...selector.matchAll(/\.(-?[a-z_][\w-]*)/gi)]
        .map((match) => match[1] ?? "")
        .filter((name) => !/^(ant|u)-/.test(name)), // of libraries
    }));
}

/** The classes of ours with the sheets that name them. */
export function styled({ sheets }: House): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [sheet, css] of sheets)
    for (const { classes } of selectorsOf(css))
      for (const name of classes) found.set(name, (found.get(name) ?? new Set()).add(sheet));
  return found;
}

/**
 * The folder of a class is the one that styles it wherever it stands (`.note`), or that alone names it. What another
 * folder says of it begins with a class of its own (`.page .note`), for nothing else keeps two rooms apart.
 */
export function shared(house: House): string[] {
  const owners = new Map<string, Set<string>>();
  const all = [...house.sheets].flatMap(([sheet, css]) => selectorsOf(css).map((each) => ({ sheet, ...each })));
  for (const { sheet, classes } of all)
    if (classes.length === 1)
      owners.set(classes[0] ?? "", (owners.get(classes[0] ?? "") ?? new Set()).add(folderOf(sheet)));
  for (const [name, sheets] of styled(house)) {
    const folders = new Set([...sheets].map(folderOf));
    if (!owners.has(name) && folders.size === 1) owners.set(name, folders);
  }
  const twice = [...owners]
    .filter(([, folders]) => folders.size > 1)
    .map(([name, folders]) => `.${name} is styled by ${[...folders].sort().join(" and ")}`);
  const foreign = all
    .filter(
      ({ sheet, classes }) => classes.length > 1 && !classes.some((name) => owners.get(name)?.has(folderOf(sheet))),
    )
    .map(({ sheet, selector }) => `${sheet} styles ${selector}, of which no class is its own`);
  return [...twice, ...foreign].sort();
}

/** The classes that a component may give its elements; `share-` stands for all that begin so. */
function usedIn(code: string): string[] {
  const said: string[] = [];
  for (const match of code.matchAll(/class[Nn]ame[sS]?=(\{|")|\bclassName: /g)) {
    const from = match.index + match[0].length - (match[0].endsWith('"') ? 1 : 0);
    let depth = match[0].endsWith("{") ? 1 : 0;
    let to = from;
    for (; to < code.length; to += 1) {
      const at = code[to];
      if (at === "{") depth += 1;
      if (at === "}") depth -= 1;
      if (depth < 0 || (depth === 0 && (at === "}" || at === "\n" || at === "," || (at === '"' && to > from)))) break;
    }
    const expression = code.slice(from, to + 1);
    for (const words of expression.matchAll(/"([^"]*)"|`([^`]*)`/g))
      said.push(...(words[1] ?? words[2] ?? "").replace(/\$\{/g, "* ").split(/[\s}"]+/));
  }
  return said.filter((name) => /^[a-z][\w-]*\*?$/i.test(name));
}

/** What comes with a file: itself, and all that it imports before it runs. */
function brought(house: House, start: string): Set<string> {
  const next = Map.groupBy(
    house.imports.filter(({ type, late }) => !type && !late),
    ({ from }) => from,
  );
  const files = new Set<string>();
  const add = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    for (const { to } of next.get(file) ?? []) add(to);
  };
  add(start);
  return files;
}

/**
 * Classes whose sheet is there by luck. What is loaded late, a page or a part of one, brings the sheets of what it uses,
 * unless whatever leads to it has brought them; a page is led to by the frame (`entry`) alone, since it may be opened first.
 */
export function unstyled(house: House, entry: string): string[] {
  const sheetsOf = styled(house);
  const late = house.imports.filter((each) => each.late && house.text.has(each.to));
  const parts = new Map([entry, ...late.map(({ to }) => to)].map((start) => [start, brought(house, start)]));
  const there = new Map<string, Set<string>>([[entry, parts.get(entry) ?? new Set()]]);
  /** All that is there once a part is, whoever asked for it. */
  function thereOf(start: string): Set<string> {
    const known = there.get(start);
    if (known) return known;
    const askers = late.filter(({ to }) => to === start).map(({ from }) => from);
    const before = [...parts]
      .filter(([part, files]) => part !== start && askers.some((asker) => files.has(asker)))
      .map(([part]) => thereOf(part));
    const everyWay = [...(before[0] ?? [])].filter((file) => before.every((files) => files.has(file)));
    const all = new Set([...(parts.get(start) ?? []), ...everyWay]);
    there.set(start, all);
    return all;
  }
  const missing = [...parts].flatMap(([start, files]) =>
    [...files].flatMap((file) =>
      usedIn(house.text.get(file) ?? "")
        .flatMap((name) =>
          name.endsWith("*") ? [...sheetsOf.keys()].filter((each) => each.startsWith(name.slice(0, -1))) : [name],
        )
        .filter(
          (name) => sheetsOf.has(name) && ![...(sheetsOf.get(name) ?? [])].some((sheet) => thereOf(start).has(sheet)),
        )
        .map((name) => `${start}: ${file} uses .${name} of ${[...(sheetsOf.get(name) ?? [])].join(", ")}`),
    ),
  );
  return [...new Set(missing)].sort();
}
