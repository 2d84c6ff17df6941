import { expect, test } from "vitest";
import { houseOf } from "../support/house";
import { shared, styled, unstyled } from "../support/sheets";
import { SRC } from "../support/words";

const house = houseOf(SRC);

test("the style sheets are read", () => {
  expect(styled(house).size).toBeGreaterThan(100);
});

test("what uses a class brings its sheet with it, so that a page opened first looks like one opened later", () => {
  expect(unstyled(house, "main.tsx")).toEqual([]);
});

test("no class is styled by two folders", () => {
  expect(shared(house)).toEqual([]);
});
