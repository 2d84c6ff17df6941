import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { circles, domainsOf, floorsWith, type House, homeless, houseOf, naming, upward } from "../support/house";
import { shared, unstyled } from "../support/sheets";

/** A portal that is sound: two domains, what they stand on, and what composes them. */
const SOUND = {
  "main.tsx": 'import { FEATURES } from "./app/features";\nFEATURES.length;\n',
  "app/features.ts":
    'import { nodes } from "@/nodes/feature";\nimport { training } from "@/training/feature";\nexport const FEATURES = [nodes, training];\n',
  "training/feature.tsx":
    'import { look } from "@/tasks/list";\nexport const training = { path: "/training", look };\n',
  "training/page.tsx": 'import { say } from "../words/say";\nexport const page = say;\n',
  "nodes/feature.tsx": 'export const nodes = { page: () => import("./page") };\n',
  "nodes/page.tsx": "export const page = 1;\n",
  "tasks/list.ts": 'import type { Word } from "@/words/say";\nexport const look: Word = "a";\n',
  "words/say.ts": 'export type Word = string;\nexport const say: Word = "b";\n',
};
const FLOORS = floorsWith(domainsOf([{ name: "nodes" }, { name: "training" }, { name: "tasks" }]));

const made: string[] = [];

/** The sound portal with some files more, or others. */
function built(changed: Record<string, string>): House {
  const src = mkdtempSync(join(tmpdir(), "portal-"));
  made.push(src);
  for (const [name, code] of Object.entries({ ...SOUND, ...changed })) {
    mkdirSync(join(src, dirname(name)), { recursive: true });
    writeFileSync(join(src, name), code);
  }
  return houseOf(src);
}

afterEach(() => {
  for (const src of made.splice(0)) rmSync(src, { recursive: true });
});

describe("what breaks the house is found", () => {
  test("nothing in a sound one, of which every import is read", () => {
    const house = built({});
    expect(house.imports.map(({ from, to, type }) => `${from} ${type ? "names" : "imports"} ${to}`).sort()).toEqual([
      "app/features.ts imports nodes/feature.tsx",
      "app/features.ts imports training/feature.tsx",
      "main.tsx imports app/features.ts",
      "nodes/feature.tsx imports nodes/page.tsx",
      "tasks/list.ts names words/say.ts",
      "training/feature.tsx imports tasks/list.ts",
      "training/page.tsx imports words/say.ts",
    ]);
    expect(homeless(house, FLOORS)).toEqual([]);
    expect(upward(house, FLOORS)).toEqual([]);
    expect(circles(house)).toEqual([]);
    expect(naming(house, "training", { path: "/training", kind: "training" })).toEqual([]);
  });

  test.each([
    ["an import", 'import { training } from "@/training/feature";\nexport const found = training;\n'],
    ["a type", 'import type { training } from "../training/feature";\nexport type Found = typeof training;\n'],
    ["what is handed on", 'export { training } from "@/training/feature";\n'],
    ["a page that is loaded late", 'export const found = () => import("@/training/feature");\n'],
  ])("%s of a higher floor", (_, code) => {
    expect(upward(built({ "tasks/find.ts": code }), FLOORS)).toEqual(["tasks/find.ts imports training/feature.tsx"]);
  });

  test("an import of a neighbour", () => {
    const code = 'import { training } from "@/training/feature";\nexport const page = training;\n';
    expect(upward(built({ "nodes/page.tsx": code }), FLOORS)).toEqual(["nodes/page.tsx imports training/feature.tsx"]);
  });

  test("a folder on no floor", () => {
    expect(homeless(built({ "helpers/all.ts": "export const all = 1;\n" }), FLOORS)).toEqual(["helpers"]);
  });

  test("a circle of files, also of one that is loaded late", () => {
    const code = 'import { nodes } from "./feature";\nexport const page = nodes;\n';
    expect(circles(built({ "nodes/page.tsx": code }))).toEqual([
      "nodes/feature.tsx → nodes/page.tsx → nodes/feature.tsx",
    ]);
  });

  test.each([
    ["its path", 'export const to = "/training";\n'],
    ["a path below it", 'export const to = "/training/$id";\n'],
    ["the kind", 'export const is = (kind: string) => kind === "training";\n'],
  ])("%s in a folder that is not the kind's", (_, code) => {
    const house = built({ "nodes/links.ts": code });
    expect(naming(house, "training", { path: "/training", kind: "training" })).toEqual([
      "nodes/links.ts names /training",
    ]);
  });

  /** Two pages of which each is opened first, and a dialog that only one of them opens. */
  const STYLED = {
    "app/features.ts":
      'import "./frame.css";\nexport const page = () => import("@/nodes/page");\nexport const other = () => import("@/training/page");\n',
    "app/frame.css": ".top { top: 0; }\n",
    "nodes/page.tsx":
      'import "./nodes.css";\nexport const page = <p className="node" />;\nexport const late = () => import("./dialog");\n',
    "nodes/nodes.css": "/* .free */\n.node, .node-name { margin: 0; }\n.top .node:hover { margin: 1px; }\n",
    "nodes/dialog.tsx": 'export const dialog = <p className={on ? "node-name" : `node top`} />;\n',
    "training/page.tsx": 'export const page = <p className="top" />;\n',
  };

  test("no class without its sheet and no sheet of two folders in a sound one", () => {
    const house = built(STYLED);
    expect(unstyled(house, "main.tsx")).toEqual([]);
    expect(shared(house)).toEqual([]);
  });

  test.each([
    ["by its name", 'export const page = <p className="quiet node" />;\n', "node"],
    ["by the beginning of its name", "export const page = <p className={`node-$" + "{each}`} />;\n", "node-name"],
  ])("a class whose sheet another page brings, %s", (_, code, name) => {
    expect(unstyled(built({ ...STYLED, "training/page.tsx": code }), "main.tsx")).toEqual([
      `training/page.tsx: training/page.tsx uses .${name} of nodes/nodes.css`,
    ]);
  });

  test("a dialog that two pages open, of which one has no sheet for it", () => {
    const house = built({ ...STYLED, "training/page.tsx": 'export const late = () => import("@/nodes/dialog");\n' });
    expect(unstyled(house, "main.tsx")).toEqual([
      "nodes/dialog.tsx: nodes/dialog.tsx uses .node of nodes/nodes.css",
      "nodes/dialog.tsx: nodes/dialog.tsx uses .node-name of nodes/nodes.css",
    ]);
  });

  test("a class that two folders style", () => {
    expect(shared(built({ ...STYLED, "tasks/list.css": ".node { margin: 2px; }\n" }))).toEqual([
      ".node is styled by nodes and tasks",
    ]);
    expect(shared(built({ ...STYLED, "tasks/list.css": ".top .node { margin: 2px; }\n" }))).toEqual([
      "tasks/list.css styles .top .node, of which no class is its own",
    ]);
  });
});
