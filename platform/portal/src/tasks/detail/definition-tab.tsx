import { Tabs } from "antd";
import { useTranslation } from "react-i18next";
import { CodeBlock } from "@/elements/code";
import { useSession } from "@/identity/session";
import { EMPTY, fieldsOf, requestOf } from "@/training/form";
import { asCurl, asPython, commandText } from "../as-code";
import type { Task } from "../queries";

/** The task as it was asked for with every default filled in, and the request that makes it again. */
export default function DefinitionTab({ task }: { task: Task }) {
  const { t } = useTranslation();
  const { user } = useSession();
  const { definition } = task;
  const request = requestOf({ ...EMPTY, ...fieldsOf(task), name: task.name }, undefined);
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
      items={Object.entries(texts).map(([key, text]) => ({
        key,
        label: t(`training.definition_${key}`),
        children: <CodeBlock label={t(`training.definition_${key}`)} text={text} />,
      }))}
    />
  );
}
