/** What tasks of a virtual cluster may be on their node, and where they are let out to; by the form, as it is kept. */
import { expectFitsPhone, expectNoMistakes } from "../pages.ts";
import { clusterName, fact, makeCluster } from "./clusters.ts";
import { expect, test } from "./stack.ts";

test("networks and pod security are set by the form, and mistakes are told at their fields", async ({
  page,
  expected,
}) => {
  expected.push(/status of 422/); // the server knows what of the cluster lies in a network
  const path = await makeCluster(page, clusterName("walled"), { gpus: 1 });
  await expect(fact(page, "Pod security")).toHaveText("Restricted: nobody is root");
  await expect(fact(page, "Networks")).toHaveText("None but the cluster's names");

  await page.goto(`${path}/edit`);
  await page.getByRole("button", { name: "Open a network" }).click();
  await page.getByLabel("Network 1", { exact: true }).fill("10.20.0.0/16");
  await page.getByLabel("Ports of network 1", { exact: true }).fill("https");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText(/Write ports like/)).toBeVisible();
  await page.getByLabel("Ports of network 1", { exact: true }).fill("443, 8000-8100, 53/udp");
  await page.getByRole("button", { name: "Open a network" }).click();
  await page.getByLabel("Network 2", { exact: true }).fill("169.254.169.254/32");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText(/This is the cluster itself/)).toBeVisible();
  await page.getByRole("button", { name: "Remove network 2" }).click();
  await page.getByRole("radio", { name: /Baseline/ }).check();
  await page.getByRole("button", { name: "Save" }).click();

  await expect(fact(page, "Pod security")).toHaveText("Baseline: with privileged jobs");
  await expect(fact(page, "Networks")).toHaveText("10.20.0.0/16: 443, 8000-8100, 53/udp");
  await page.goto(`${path}/edit`);
  await expect(page.getByLabel("Ports of network 1", { exact: true })).toHaveValue("443, 8000-8100, 53/udp");
  await page.getByRole("button", { name: "Remove network 1" }).click();
  await page.getByRole("radio", { name: /Restricted/ }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(fact(page, "Networks")).toHaveText("None but the cluster's names");
  await expect(fact(page, "Pod security")).toHaveText("Restricted: nobody is root");
  await expectNoMistakes(page, [path, `${path}/edit`]);
  await expectFitsPhone(page, [path, `${path}/edit`]);
});
