import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { RULES } from "@/api/rules.gen";
import { deviceName, devicesText, knowDeviceTypes } from "@/formats/devices";
import { asCurl, asPython, commandText } from "@/tasks/as-code";
import { imageName } from "@/tasks/image-name";
import { sorted, still } from "@/tasks/list/rows";
import { listSearchOf } from "@/tasks/list/search";
import type { TaskSummary } from "@/tasks/queries";
import { STATE_ORDER } from "@/tasks/states";
import { judged } from "@/training/estimate";
import { EMPTY, nextName, requestOf } from "@/training/form";

describe("the request of the form", () => {
  const filled = { ...EMPTY, name: "digits", virtual_cluster: "default", framework: "numpy", start_file: "train.py" };

  test("what was left empty is left to the server", () => {
    const request = requestOf({ ...filled, device_type: "nvidia_gpu_amd64" }, undefined);
    expect(request).toEqual({
      name: "digits",
      virtual_cluster: "default",
      framework: "numpy",
      code_directory: "",
      start_file: "train.py",
      parameters: [],
      device_type: "nvidia_gpu_amd64",
      devices: 0,
    });
  });

  test("an image of one's own goes with a command line, and a copy names it without its digest", () => {
    const own = { ...filled, source: "image", image: " r/imported/tool:1 ", command_line: "sh -c 'ls'" } as const;
    const request = requestOf({ ...own, device_type: "nvidia_gpu_amd64" }, undefined);
    expect(request).toEqual({
      name: "digits",
      virtual_cluster: "default",
      image: "r/imported/tool:1",
      command_line: "sh -c 'ls'",
      parameters: [],
      device_type: "nvidia_gpu_amd64",
      devices: 0,
    });
    expect(imageName(`r/imported/tool:1@sha256:${"0".repeat(64)}`)).toBe("r/imported/tool:1");
    expect(judged(request)).toEqual(request);
    expect(commandText(["sh", "-c", "echo it's"])).toBe(`sh -c 'echo it'\\''s'`);
  });

  test("one machine has no number of nodes, several have", () => {
    expect(requestOf({ ...filled, distributed: false, nodes: 4 }, undefined).nodes).toBeUndefined();
    expect(requestOf({ ...filled, distributed: true, nodes: 4 }, undefined)).toMatchObject({
      distributed: true,
      nodes: 4,
    });
  });

  test("a copy gets a name of its own that the server takes", () => {
    expect(["digits", "digits_2", "a_9"].map(nextName)).toEqual(["digits_2", "digits_3", "a_10"]);
    const long = "x".repeat(64);
    expect(nextName(long)).toBe(long);
    expect(new RegExp(RULES.TrainingCreate.name.pattern).test(nextName("digits"))).toBe(true);
  });

  test("the code for other programs says the same and survives quotes", () => {
    const request = requestOf(
      { ...filled, description: `it's "fine"\nreally $HOME`, distributed: true, nodes: 2 },
      undefined,
    );
    const python = asPython("https://portal", "/trainings", request);
    const literal = python.slice(python.indexOf("task = ") + 7, python.indexOf("\n    answer"));
    const read = execFileSync(
      "python3",
      ["-c", `import json; print(json.dumps(${literal.replaceAll("\n    ", "\n")}))`],
      {
        encoding: "utf8",
      },
    );
    expect(JSON.parse(read)).toEqual(request);
    const curl = asCurl("https://portal", "/trainings", request);
    const quoted = curl.slice(curl.indexOf("--data '{") + 7);
    expect(JSON.parse(execFileSync("sh", ["-c", `printf %s ${quoted}`], { encoding: "utf8" }))).toEqual(request);
  });
});

describe("the list", () => {
  const task = (id: string, name: string, state: TaskSummary["state"]) =>
    ({ id, name, state, created_at: id, started_at: null, finished_at: null }) as TaskSummary;
  const rows = [task("3", "b", "running"), task("2", "a", "failed"), task("1", "c", "queued")];

  test("what an address says in vain is dropped", () => {
    expect(listSearchOf({ state: "running", sort: "hack", order: "ascend", owner: "root", words: "" })).toEqual({
      words: undefined,
      state: ["running"],
      owner: undefined,
      virtual_cluster: undefined,
      sort: undefined,
      order: undefined,
    });
    expect(listSearchOf({ state: ["failed", "nonsense"], sort: "name", order: "descend" })).toMatchObject({
      state: ["failed"],
      sort: "name",
      order: "descend",
    });
  });

  test("it is sorted by name, and by state in the order of the life cycle", () => {
    expect(sorted(rows, "name", "ascend").map((row) => row.name)).toEqual(["a", "b", "c"]);
    expect(sorted(rows, "state", "descend").map((row) => row.state)).toEqual(["failed", "running", "queued"]);
    expect(sorted(rows)).toBe(rows);
  });

  test("under a resting pointer rows change in place and none moves in", () => {
    const changed = [task("4", "new", "queued"), task("2", "a", "finished"), task("3", "b", "running")];
    expect(still(changed, ["3", "2", "1"]).map((row) => [row.id, row.state])).toEqual([
      ["3", "running"],
      ["2", "finished"],
    ]);
  });

  test("devices read as the server calls them, and by their type where it does not", () => {
    const row = (type: string, title: string, card: string) => ({ type, title, card, arch: "arm64" });
    knowDeviceTypes([row("huawei_npu_arm64", "Huawei NPU", "NPU"), row("moonstone9", "Acme Moonstone", "TPU")]);
    expect(devicesText(4, 1, "huawei_npu_arm64")).toBe("4 × NPU");
    expect(devicesText(8, 2, "moonstone9")).toBe("2 × 8 TPU");
    expect(devicesText(0, 1, "nvidia_gpu_amd64")).toBe("CPU");
    expect(deviceName("moonstone9")).toBe("Acme Moonstone (arm64)");
    expect(deviceName("of_yesterday")).toBe("of_yesterday");
  });

  test("every state has a look", () => {
    expect(STATE_ORDER).toHaveLength(11);
  });
});
