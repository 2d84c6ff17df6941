import { Tabs } from "antd";
import { useTranslation } from "react-i18next";
import { CodeBlock } from "@/elements/code";
import { asCurl, asPython, commandText } from "../as-code";
import type { Task } from "../queries";

interface Definition {
  task: Task;
  /** What its program was started with. */
  command: string[];
  /** Where the API takes the request that asks for it again. */
  path: string;
  request: object;
}

/** The task as it was asked for with every default filled in, and the request that makes it again. */
export function TaskDefinition({ task, command, path, request }: Definition) {
  const { t } = useTranslation("tasks");
  const { definition } = task;
  const origin = window.location.origin;
  const texts = {
    command: commandText(command),
    json: JSON.stringify(definition, null, 2),
    curl: asCurl(origin, path, request),
    python: asPython(origin, path, request),
  };
  return (
    <Tabs
      size="small"
      items={(Object.keys(texts) as (keyof typeof texts)[]).map((key) => ({
        key,
        label: t(`definition_${key}`),
        children: <CodeBlock label={t(`definition_${key}`)} text={texts[key]} />,
      }))}
    />
  );
}
