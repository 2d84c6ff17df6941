const FIELDS = ["input:not([type=hidden], :disabled)", "textarea:not(:disabled)", "select:not(:disabled)"].join(", ");

/** Give the first field of a part of a page the focus; where it has none, what `otherwise` names. */
export function focusFirst(part: HTMLElement | null, otherwise?: HTMLElement | null): void {
  (part?.querySelector<HTMLElement>(FIELDS) ?? otherwise)?.focus();
}
