import { api, expect, headerState, test, unique } from "../portal.ts";

interface Usage {
  name: string;
  limit: number;
  values: number[];
}

/**
 * Four loops, which want four cores, and 150 MB of shared memory. It tells how often the kernel held it back: on a busy
 * machine it may get even less than its limit, and then a low curve alone would prove nothing.
 */
const GREEDY =
  "sh -c 'head -c 150000000 /dev/zero > /dev/shm/held; for i in 1 2 3 4; do while :; do :; done & done; " +
  "while sleep 5; do cat /sys/fs/cgroup/cpu.stat /sys/fs/cgroup/cpu/cpu.stat 2>/dev/null | grep nr_throttled; done'";
/** Both counters of a rate are read a moment after their time stamps, so it may be off by this much. */
const MEASURED_WITHIN = 1.03;

test("a job that wants more processor than its limit never gets it, and the page shows it", {
  tag: "@feature-28a",
}, async ({ page }) => {
  test.setTimeout(420_000);
  await page.goto("/overview");
  const { version } = await api<{ version: string }>(page, "/about");
  await page.goto("/training/new");
  await page.getByLabel("Name", { exact: true }).fill(unique("greedy"));
  await page.getByRole("radiogroup", { name: "Runs in" }).getByText("Own image").click();
  await page.getByLabel("Image", { exact: true }).fill(`registry.atoll.internal:5000/atoll/base:${version}`);
  await page.getByLabel("Command line").fill(GREEDY);
  await page.getByLabel("CPU limit (cores)").fill("500m");
  await page.getByLabel("Memory limit").fill("400Mi");
  await page.getByRole("button", { name: "Start training" }).click();
  await page.waitForURL(/\/training\/[^/?]+\?tab=log/);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  try {
    await expect(headerState(page, "Running")).toBeVisible({ timeout: 120_000 });
    await expect(page.getByRole("log")).toContainText(/nr_throttled [1-9]\d{2}/, { timeout: 120_000 });
    await page.getByRole("tab", { name: "Charts" }).click();

    // What the page says of its charts: the highest point beside the limit that is drawn as a line.
    const cpu = page.getByRole("img", { name: /^CPU.*: \d+ points/ });
    const memory = page.getByRole("img", { name: /^Memory.*: \d+ points/ });
    await expect(cpu).toHaveAccessibleName(/: ([4-9]|\d\d+) points/, { timeout: 240_000 });
    await expect(cpu).toHaveAccessibleName(/the highest 0\.([34]\d*|5|5[01]\d*), the limit 0\.5$/, { timeout: 60_000 });
    await expect(memory).toHaveAccessibleName(/the highest 1\d\d MiB, the limit 400 MiB$/);

    // Every point of what the page drew.
    const { usage } = await api<{ usage: Usage[] }>(page, `/tasks/${id}/metrics`);
    const series = Object.fromEntries(usage.map((each) => [each.name, each]));
    for (const [name, limit] of [
      ["cpu", 0.5],
      ["memory", 400 * 2 ** 20],
    ] as const) {
      expect(series[name]?.limit).toBe(limit);
      expect(Math.max(...(series[name]?.values ?? [])), name).toBeLessThanOrEqual(limit * MEASURED_WITHIN);
    }
  } finally {
    await api(page, `/tasks/${id}/stop`, "POST");
  }
  await expect(headerState(page, "Stopped")).toBeVisible({ timeout: 60_000 });
});
