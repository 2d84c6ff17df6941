/**
 * How often pages look again where nobody tells them of changes: what the person at the screen has set, for `refetchInterval`
 * of queries, which are no components.
 */
const USUAL_S = 15;

let every = USUAL_S * 1000;
const listeners = new Set<() => void>();

/** In ms. */
export function refreshMs(): number {
  return every;
}

export function setRefresh(seconds: number): void {
  if (seconds * 1000 === every) return;
  every = seconds * 1000;
  for (const each of listeners) each();
}

/** Calls the listener after each change, until the returned function is called. */
export function onRefresh(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
