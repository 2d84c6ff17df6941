/** What the tests of virtual clusters and settings have in common. */
import type { Page } from "@playwright/test";
import { expect, unique } from "../portal.ts";
import { find } from "./people.ts";

export interface Terms {
  gpus?: number;
  most?: number;
  hours?: number;
}

/** A name that no other virtual cluster of this run has; they have no underscores. */
export function clusterName(name: string): string {
  return unique(name).replaceAll("_", "-");
}

export const GPU = "NVIDIA GPU (amd64)";
export const NPU = "Huawei NPU (amd64)";

/** The part of the form for one device type. */
export function grant(page: Page, type = GPU) {
  return page.getByRole("group", { name: type });
}

/** Make a virtual cluster by the form. Returns the address of its page. */
export async function makeCluster(page: Page, name: string, { gpus = 0, most, hours }: Terms = {}): Promise<string> {
  await page.goto("/virtual-clusters/new");
  await page.getByLabel("Name", { exact: true }).fill(name);
  if (gpus > 0) await grant(page).getByLabel("Number").fill(String(gpus));
  if (most !== undefined) await grant(page).getByLabel("Most per user").fill(String(most));
  if (hours !== undefined) {
    await page.getByRole("radio", { name: "Limited" }).check();
    await page.getByLabel("Hours", { exact: true }).fill(String(hours));
  }
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(/\/virtual-clusters\/(?!new)[^/]+$/);
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  return new URL(page.url()).pathname;
}

/** Until the engine has it. */
export async function ready(page: Page): Promise<void> {
  await expect(page.locator(".page-title").getByText("Ready")).toBeVisible({ timeout: 30_000 });
}

/** A cell of the fact with this name. */
export function fact(page: Page, name: string) {
  return page
    .locator(".facts > div")
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator("dd");
}

/** Add somebody on the page of a virtual cluster, found by the beginning of the name. */
export async function addMember(page: Page, field: "Users" | "Groups", name: string): Promise<void> {
  await page.getByRole("banner").waitFor();
  await page.locator(".page-actions").getByRole("button", { name: "Add users" }).click();
  const dialog = page.getByRole("dialog");
  await find(page, dialog.getByLabel(field), name);
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(dialog).toBeHidden();
  await expect(member(page, name)).toBeVisible();
}

/** The row of a user or group. */
export function member(page: Page, name: string) {
  return page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
}
