import type { FieldError } from "@/api/problem";

/**
 * A step of a form. Its fields are those that lie at or below one of `fields`, in which `*` stands for any place in a
 * list: `users.*.password`.
 */
export interface Step {
  key: string;
  fields: readonly string[];
}

/** How much of a field's place is told by `pattern`; 0 where it is another field. */
function fits(pattern: string, field: string): number {
  const wanted = pattern.split(".");
  const parts = field.split(".");
  return wanted.every((each, index) => (each === "*" ? parts[index] !== undefined : each === parts[index]))
    ? wanted.length
    : 0;
}

/** The step that has a field, as `users.3.name`: the one that names it most closely; -1 where none does. */
export function stepOf(steps: readonly Step[], field: string): number {
  const closeness = steps.map((step) => Math.max(0, ...step.fields.map((pattern) => fits(pattern, field))));
  const most = Math.max(...closeness);
  return most === 0 ? -1 : closeness.indexOf(most);
}

/**
 * Where a form lands whose request was refused: the first step that has a mistake, its first field, and all mistakes that
 * have a field. Nothing where no mistake has one: then the refusal is of the whole.
 */
export function landing(
  steps: readonly Step[],
  errors: readonly FieldError[],
): { step: number; field: string; errors: FieldError[] } | undefined {
  const placed = errors.filter(({ field }) => stepOf(steps, field) >= 0);
  const step = Math.min(...placed.map(({ field }) => stepOf(steps, field)));
  const first = placed.find(({ field }) => stepOf(steps, field) === step);
  return first && { step, field: first.field, errors: placed };
}
