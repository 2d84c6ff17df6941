import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, headerState, test, unique } from "../portal.ts";
import { atoll, clusterFile, makeArchive, staticProgram } from "./image.ts";

const TEXT = "the ship and the sea and the wind\n".repeat(1000);
const COUNT = `#!/bin/sh
set -e
tr -cs a-z '\\n' < /opt/words/text | sort | uniq -c | sort -rn > "$ATOLL_OUTPUT_DIR/counts.txt"
cat "$ATOLL_OUTPUT_DIR/counts.txt"
command -v python3 || echo "there is no python in this image"
echo "counted by user $(id -u)"
`;

test.describe.configure({ mode: "serial" });
test.skip(!clusterFile, "needs the control host: ATOLL_CLUSTER_FILE names the cluster.yaml");

/** The part of the form that says what runs: an image of one's own. */
async function chooseOwnImage(page: Page, name: string): Promise<void> {
  await page.goto("/training/new");
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("radiogroup", { name: "Runs in" }).getByText("Own image").click();
}

async function begin(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Start training" }).click();
  await page.waitForURL(/\/training\/[^/?]+\?tab=log/);
}

test(
  "a home-made image is imported and runs a new kind of task, from the browser to its result",
  {
    tag: ["@feature-36b"],
  },
  async ({ page }, info) => {
    test.setTimeout(300_000);
    const archive = join(info.outputDir, "words.tar");
    // Another image in every run: the import really has something to do.
    const files = { "opt/words/text": TEXT, "opt/words/count.sh": COUNT, "opt/words/stamp": String(Date.now()) };
    makeArchive(archive, { files, debian: true });
    const first = JSON.parse(atoll("image", "import", archive, "--name", "e2e/words:1", "--replace", "-o", "json"));
    expect(first).toMatchObject({ changed: true, reference: "registry.atoll.internal:5000/imported/e2e/words:1" });
    const again = JSON.parse(atoll("image", "import", archive, "--name", "e2e/words:1", "-o", "json"));
    expect(again).toMatchObject({ changed: false, digest: first.digest });
    expect(atoll("image", "list")).toMatch(/e2e\/words\s+1\s/);

    const name = unique("words");
    await chooseOwnImage(page, name);
    await page.getByLabel("Image", { exact: true }).fill("words");
    await page.locator(".ant-select-item-option").filter({ hasText: "imported/e2e/words:1" }).click();
    await expect(page.getByLabel("Image", { exact: true })).toHaveValue(first.reference);
    await page.getByLabel("Command line").fill("/opt/words/count.sh");
    await expect(page.getByText("Starts now")).toBeVisible();
    await begin(page);

    await expect(page.getByRole("log")).toContainText("3000 the", { timeout: 120_000 });
    await expect(page.getByRole("log")).toContainText("there is no python in this image");
    await expect(page.getByRole("log")).toContainText(/counted by user 30\d{3}/);
    await expect(headerState(page, "Finished")).toBeVisible({ timeout: 60_000 });
    await page.getByRole("tab", { name: "Overview" }).click();
    await expect(page.locator(".facts")).toContainText(first.reference);
    await page.getByRole("tab", { name: "Files" }).click();
    await page.getByRole("button", { name: "Look at counts.txt" }).click();
    await expect(page.getByRole("dialog")).toContainText("3000 the");
    await page.keyboard.press("Escape");
    await page.goto("/training");
    await expect(page.getByRole("row").filter({ hasText: name })).toContainText("e2e/words:1");
  },
);

test(
  "an image with nothing but one static program starts what it starts by itself",
  {
    tag: ["@feature-36b"],
  },
  async ({ page }, info) => {
    test.setTimeout(300_000);
    expect(existsSync(staticProgram), `${staticProgram} is there`).toBe(true);
    const archive = join(info.outputDir, "static.tar");
    const files = { program: { from: staticProgram }, stamp: String(Date.now()) };
    makeArchive(archive, { files, debian: false, entrypoint: ["/program", "version", "--help"] });
    const { reference } = JSON.parse(
      atoll("image", "import", archive, "--name", "e2e/static", "--replace", "-o", "json"),
    );
    await chooseOwnImage(page, unique("static"));
    await page.getByLabel("Image", { exact: true }).fill(reference);
    await begin(page);
    await expect(page.getByRole("log")).toContainText("crane version", { timeout: 120_000 });
    await expect(headerState(page, "Finished")).toBeVisible({ timeout: 60_000 });
  },
);

test("what cannot run is said at the field, or by the task in words", async ({ page }) => {
  await chooseOwnImage(page, unique("refused"));
  await page.getByLabel("Image", { exact: true }).fill("docker.io/library/busybox:1");
  await expect(page.locator(".verdict")).toContainText("Name an image of the cluster's registry");
  await page.getByLabel("Image", { exact: true }).fill("registry.atoll.internal:5000/imported/no/such:1");
  await expect(page.locator(".verdict")).toContainText("The registry has no image imported/no/such:1");
  await page.getByLabel("Image", { exact: true }).fill("registry.atoll.internal:5000/imported/e2e/words:1");
  await page.getByLabel("Command line").fill("sh -c 'open");
  await expect(page.locator(".verdict")).toContainText("has no partner");
  await page.getByLabel("Command line").fill("no-such-program");
  await expect(page.getByText("Starts now")).toBeVisible();
  await begin(page);
  await expect(headerState(page, "Failed")).toBeVisible({ timeout: 120_000 });
  await expect(page.locator(".state-line")).toContainText("The image has no such program");
});
