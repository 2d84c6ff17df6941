import { useEffect, useState } from "react";

const FIELDS = ["input:not([type=hidden], :disabled)", "textarea:not(:disabled)", "select:not(:disabled)"].join(", ");

/** Give the first field of a part of a page the focus; where it has none, what `otherwise` names. */
export function focusFirst(part: HTMLElement | null, otherwise?: HTMLElement | null): void {
  (part?.querySelector<HTMLElement>(FIELDS) ?? otherwise)?.focus();
}

/** The same as soon as the part has a field: what is chosen from may come from the server, a moment later. */
export function focusFirstSoon(part: HTMLElement | null): void {
  if (!part) return;
  focusFirst(part);
  if (part.querySelector(FIELDS)) return;
  const arrival = new MutationObserver(() => {
    if (!part.querySelector(FIELDS)) return;
    arrival.disconnect();
    focusFirst(part);
  });
  arrival.observe(part, { childList: true, subtree: true });
}

/** For a dialog that is there while it is open: what had the focus before has it again when it closes, if nothing else has. */
export function useFocusBack(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      const lost = document.activeElement === null || document.activeElement === document.body;
      if (lost && opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    },
    [opener],
  );
}
