import { Tabs } from "antd";
import { useTranslation } from "react-i18next";
import { CodeBlock } from "@/elements/code";
import { useSession } from "@/identity/session";
import type { Task } from "@/tasks/queries";
import { asCurl, asPython } from "./as-code";
import type { TaskCreate } from "./form";

/** The task as it was asked for with every default filled in, and the request that makes it again. */
export default function DefinitionTab({ task }: { task: Task }) {
  const { t } = useTranslation();
  const { user } = useSession();
  const { definition } = task;
  const request: TaskCreate = {
    name: task.name,
    ...(definition.description && { description: definition.description }),
    virtual_cluster: task.virtual_cluster.name,
    engine: definition.engine,
    code_directory: definition.code_directory,
    start_file: definition.start_file,
    parameters: definition.parameters,
    device_type: definition.device_type,
    devices: definition.devices,
    ...(definition.distributed && { distributed: true, nodes: definition.nodes }),
    limits: definition.limits,
  };
  const origin = window.location.origin;
  const texts = {
    command: definition.command
      .map((part) => (/^[\w./:=@%+-]+$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`))
      .join(" "),
    json: JSON.stringify(definition, null, 2),
    curl: asCurl(origin, user.name, request),
    python: asPython(origin, user.name, request),
  };
  return (
    <Tabs
      size="small"
      items={Object.entries(texts).map(([key, text]) => ({
        key,
        label: t(`training.definition_${key}`),
        children: <CodeBlock label={t(`training.definition_${key}`)} text={text} />,
      }))}
    />
  );
}
