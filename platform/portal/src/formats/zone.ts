/** The time zone in which times are shown: what the person at the screen has set, else the browser's. */
let chosen: string | undefined;
const listeners = new Set<() => void>();

/** For `timeZone` of Intl; undefined: the browser's. */
export function timeZone(): string | undefined {
  return chosen;
}

export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Whether this browser can tell the time there: an old one does not know every zone. */
function isKnown(zone: string): boolean {
  try {
    Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** null: the browser's. */
export function setTimeZone(zone: string | null): void {
  const next = zone !== null && isKnown(zone) ? zone : undefined;
  if (next === chosen) return;
  chosen = next;
  for (const each of listeners) each();
}

/** Calls the listener after each change, until the returned function is called. */
export function onTimeZone(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
