import { Tabs } from "antd";
import { useTranslation } from "react-i18next";
import { CodeBlock } from "@/elements/code";
import { useSession } from "@/identity/session";
import { asCurl, asPython, commandText } from "../as-code";
import type { Task } from "../queries";

/** The task as it was asked for with every default filled in, and the request that makes it again. */
export function TaskDefinition({ task, request }: { task: Task; request: object }) {
  const { t } = useTranslation("tasks");
  const { user } = useSession();
  const { definition } = task;
  const origin = window.location.origin;
  const texts = {
    command: commandText(definition.command),
    json: JSON.stringify(definition, null, 2),
    curl: asCurl(origin, user.name, request),
    python: asPython(origin, user.name, request),
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
