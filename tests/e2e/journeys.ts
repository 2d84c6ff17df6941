/** Ways that a person goes through several pages, the same on an installed cluster and on `./atoll dev`. */
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, headerState, start, unique } from "./portal.ts";

/** The example `digits`: form, live log, curves, and the model's file on this machine. Returns the id of the task. */
export async function toTheModelFile(page: Page): Promise<string> {
  const name = unique("digits");
  await page.goto("/overview");
  await page.getByRole("link", { name: "New training" }).first().click();
  await page.waitForURL(/\/training\/new/);
  await page.getByRole("button", { name: "digits", exact: true }).click();
  await expect(page.getByText("Starts now")).toBeVisible();
  const id = await start(page, { name, example: "digits", parameters: { epochs: "25", pause: "0.8" } });

  // The log comes live: lines are there while the task still runs, which is long enough for a slow page.
  await expect(page.getByRole("log")).toContainText(/epoch\s+1\/25/, { timeout: 60_000 });
  await expect(page.getByText(/^Live/)).toBeVisible();
  await expect(headerState(page, "Running")).toBeVisible();
  await expect(page.getByRole("log")).toContainText(/epoch\s+25\/25/, { timeout: 90_000 });
  await expect(headerState(page, "Finished")).toBeVisible({ timeout: 30_000 });
  const told = await page.getByRole("log").textContent();
  const accuracy = Number(/held-out accuracy (0\.\d+); model written/.exec(told ?? "")?.[1]);
  expect(accuracy).toBeGreaterThanOrEqual(0.95);

  await page.getByLabel("Search the log").fill("epoch  25/25");
  await expect(page.getByText("0/1")).toBeVisible();

  await page.getByRole("tab", { name: "Overview" }).click();
  await expect(page.getByRole("heading", { name: "Where the time went" })).toBeVisible();
  await expect(page.locator(".time-line")).toContainText("Running");

  await page.getByRole("tab", { name: "Charts" }).click();
  await expect(page.getByRole("img", { name: /^loss: 25 points/ })).toBeVisible();
  await expect(page.getByRole("img", { name: /^accuracy: 25 points/ })).toBeVisible();

  await page.getByRole("tab", { name: "Files" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download model.npz" }).click();
  const file = readFileSync(await (await download).path());
  expect(file.subarray(0, 4).toString("latin1")).toBe("PK\u0003\u0004"); // .npz is a zip of arrays
  expect(file.length).toBeGreaterThan(10_000);
  await page.getByRole("button", { name: "Look at summary.json" }).click();
  await expect(page.getByRole("dialog")).toContainText('"accuracy"');
  await page.keyboard.press("Escape");

  await page.goto("/training");
  const row = page.getByRole("row").filter({ hasText: name });
  await expect(row).toContainText("Finished");
  await expect(row).toContainText("numpy");
  await expect(row.locator("time")).toBeVisible();
  await row.getByRole("link", { name }).click();
  await expect(page).toHaveURL(new RegExp(`/training/${id}`));
  await expect(headerState(page, "Finished")).toBeVisible();
  return id;
}
