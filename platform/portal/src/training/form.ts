import type { Rule } from "antd/es/form";
import type { Schemas } from "@/api/client";
import { RULES } from "@/api/rules.gen";
import { useFieldRules } from "@/elements/rules";
import { quantity } from "@/formats/amounts";
import { imageName } from "@/tasks/image-name";
import { useKnown } from "@/words/told";

export type TaskCreate = Schemas["TrainingCreate"];
export type TrainingOptions = Schemas["TrainingOptions"];

/** What the form holds: the request, with texts that may still be empty. */
export interface FormFields {
  name: string;
  description: string;
  virtual_cluster: string;
  /** Where the program comes from; the other one's fields are kept while one compares. */
  source: "framework" | "image";
  framework: string;
  image: string;
  command_line: string;
  code_directory: string;
  start_file: string;
  output_directory: string;
  parameters: { name: string; value: string }[];
  device_type: string;
  devices: number;
  distributed: boolean;
  nodes: number;
  limits: { cpu: string; memory: string };
  privileged: boolean;
}

export const EMPTY: FormFields = {
  name: "",
  description: "",
  virtual_cluster: "",
  source: "framework",
  framework: "",
  image: "",
  command_line: "",
  code_directory: "",
  start_file: "",
  output_directory: "",
  parameters: [],
  device_type: "",
  devices: 0,
  distributed: false,
  nodes: 1,
  limits: { cpu: "", memory: "" },
  privileged: false,
};

type DeviceOption = Schemas["DeviceOption"];

export function deviceOption(options: TrainingOptions, fields: FormFields): DeviceOption | undefined {
  const cluster = options.virtual_clusters.find((each) => each.name === fields.virtual_cluster);
  return cluster?.devices.find((each) => each.type === fields.device_type);
}

/** Between which limits of CPU and memory one may choose. */
export function limitsOf(options: TrainingOptions, fields: FormFields): Schemas["Limits"] | undefined {
  const ofDevice = deviceOption(options, fields)?.limits;
  return fields.devices === 0 ? (options.limits_without_devices ?? ofDevice) : ofDevice;
}

/** The request that the fields stand for; empty ones are left to the server's defaults. */
export function requestOf(fields: FormFields, bounds: Schemas["Limits"] | undefined): TaskCreate {
  const limits = fields.limits.cpu || fields.limits.memory;
  return {
    name: fields.name,
    ...(fields.description && { description: fields.description }),
    virtual_cluster: fields.virtual_cluster,
    ...(fields.source === "framework"
      ? { framework: fields.framework, code_directory: fields.code_directory, start_file: fields.start_file }
      : {
          image: fields.image.trim(),
          ...(fields.command_line.trim() && { command_line: fields.command_line }),
          ...(fields.code_directory && { code_directory: fields.code_directory }),
        }),
    ...(fields.output_directory && { output_directory: fields.output_directory }),
    parameters: fields.parameters
      .filter((each) => each?.name)
      .map((each) => ({ name: each.name, value: each.value ?? "" })),
    ...(fields.device_type && { device_type: fields.device_type }),
    devices: fields.devices,
    ...(fields.distributed && { distributed: true, nodes: fields.nodes }),
    ...(limits && {
      limits: {
        cpu: fields.limits.cpu || bounds?.default.cpu || "1",
        memory: fields.limits.memory || bounds?.default.memory || "1Gi",
      },
    }),
    ...(fields.privileged && { privileged: true }),
  };
}

type Definition = Schemas["TrainingDefinition"];

/** Where the API takes what the form asks for. */
export const PATH = "/trainings";

/** What a training was asked for as: the shape of a definition is that of its kind. */
export function definitionOf(task: Schemas["Task"]): Definition {
  return task.definition as unknown as Definition;
}

/** The part of the form that says what an older task runs. */
export function programOf(definition: Definition) {
  return {
    source: definition.framework === null ? ("image" as const) : ("framework" as const),
    framework: definition.framework ?? "",
    image: definition.framework === null ? imageName(definition.image) : "",
    command_line: definition.command_line ?? "",
    code_directory: definition.code_directory,
    start_file: definition.start_file ?? "",
    parameters: definition.parameters.map((each) => ({ name: each.name, value: each.value ?? "" })),
  };
}

/** Where the server puts the output of a task that names no directory: each task has its own there. */
export function ownOutput(task: string): string {
  return `tasks/${task}/output`;
}

/** The fields that an older task stands for. */
export function fieldsOf(task: Schemas["Task"]): Partial<FormFields> {
  const definition = definitionOf(task);
  return {
    name: nextName(task.name),
    description: definition.description,
    virtual_cluster: task.virtual_cluster.name,
    ...programOf(definition),
    output_directory: definition.output_directory === ownOutput(task.id) ? "" : definition.output_directory,
    device_type: definition.device_type ?? "",
    devices: definition.devices,
    distributed: definition.distributed,
    nodes: definition.nodes,
    limits: definition.limits,
    privileged: definition.privileged,
  };
}

/** Whether the server offers a job that is root of its container in this virtual cluster. */
export function offersPrivileged(options: TrainingOptions, cluster: string): boolean {
  return options.virtual_clusters.some((each) => each.name === cluster && each.privileged);
}

/** The fields that an example stands for. */
export function exampleFields(example: Schemas["Example"]): Partial<FormFields> {
  return {
    name: example.name.replaceAll(/[^A-Za-z0-9_]/g, "_"),
    source: "framework",
    framework: example.framework,
    code_directory: example.code_directory,
    start_file: example.start_file,
    distributed: example.distributed,
    nodes: example.distributed ? 2 : 1,
    parameters: [],
  };
}

/** `digits` → `digits_2` → `digits_3`: a copy gets a name of its own. */
export function nextName(name: string): string {
  const match = /^(.*)_(\d{1,6})$/.exec(name);
  const next = match ? `${match[1]}_${Number(match[2]) + 1}` : `${name}_2`;
  return next.length <= RULES.TrainingCreate.name.maxLength ? next : name;
}

/** Cores or bytes as Kubernetes writes them; an empty field takes the default. */
export function isQuantity(message: string): Rule {
  return {
    validator: (_, value: string) =>
      !value || quantity(value) !== null ? Promise.resolve() : Promise.reject(new Error(message)),
  };
}

/** The server's rules for a field, in the reader's language; `needed` where it is by what else was chosen. */
export function useRules(): (field: keyof typeof RULES.TrainingCreate, needed?: boolean) => Rule[] {
  const known = useKnown("training");
  const rules = useFieldRules();
  return (field, needed = false) =>
    rules(
      { ...RULES.TrainingCreate[field], ...(needed && { required: true }) },
      { pattern: known(`pattern_${field}`) },
    );
}
