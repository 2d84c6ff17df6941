import { TaskDefinition } from "@/tasks/detail/definition";
import type { Task } from "@/tasks/queries";
import { definitionOf, EMPTY, fieldsOf, PATH, requestOf } from "./form";

/** What was asked for, and the request of the form that asks for it again. */
export default function DefinitionTab({ task }: { task: Task }) {
  const request = requestOf({ ...EMPTY, ...fieldsOf(task), name: task.name }, undefined);
  return <TaskDefinition task={task} command={definitionOf(task).command} path={PATH} request={request} />;
}
