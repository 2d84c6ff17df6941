import { TaskDefinition } from "@/tasks/detail/definition";
import type { Task } from "@/tasks/queries";
import { EMPTY, fieldsOf, requestOf } from "./form";

/** What was asked for, and the request of the form that asks for it again. */
export default function DefinitionTab({ task }: { task: Task }) {
  return (
    <TaskDefinition task={task} request={requestOf({ ...EMPTY, ...fieldsOf(task), name: task.name }, undefined)} />
  );
}
