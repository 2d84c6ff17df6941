import { describe, expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import { EMPTY, fieldsOf, requestOf } from "@/training/form";

function finished(output_directory: string): Schemas["Task"] {
  return {
    id: "01abc",
    name: "digits",
    virtual_cluster: { id: "1", name: "default" },
    definition: {
      framework: "numpy",
      image: "registry/numpy:1",
      command: [],
      description: "",
      code_directory: "code",
      start_file: "train.py",
      output_directory,
      parameters: [],
      device_type: "nvidia_gpu_amd64",
      devices: 1,
      distributed: false,
      nodes: 1,
      limits: { cpu: "4", memory: "8Gi" },
    },
  } as unknown as Schemas["Task"];
}

const again = (task: Schemas["Task"]) => requestOf({ ...EMPTY, ...fieldsOf(task) }, undefined);

describe("a task that is asked for again", () => {
  test("keeps the output directory that its user chose", () => {
    expect(again(finished("results/mine")).output_directory).toBe("results/mine");
  });

  test("gets a directory of its own where the older one had its own", () => {
    expect(again(finished("tasks/01abc/output"))).not.toHaveProperty("output_directory");
    expect(again(finished("tasks/01xyz/output")).output_directory).toBe("tasks/01xyz/output");
  });

  test("asks for the same program on the same devices, under a name of its own", () => {
    expect(again(finished("results/mine"))).toMatchObject({
      name: "digits_2",
      framework: "numpy",
      code_directory: "code",
      start_file: "train.py",
      devices: 1,
      limits: { cpu: "4", memory: "8Gi" },
    });
  });
});
