import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SRC } from "../support/words";

/** What follows something that grows, as one reads it. */
const FOLLOWING = ["services/service-log.tsx"];

test("every page looks again as often as the person has set", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  const often = files.flatMap((name) =>
    [...readFileSync(`${SRC}/${name}`, "utf8").matchAll(/refetchInterval:\s*[\d_]+/g)].map(() => name),
  );
  expect(often).toEqual(FOLLOWING);
  const asked = files.filter((name) => readFileSync(`${SRC}/${name}`, "utf8").includes("refetchInterval: refreshMs"));
  expect(asked).toEqual(expect.arrayContaining(["overview/query.ts", "people/queries.ts", "nodes/query.ts"]));
});
