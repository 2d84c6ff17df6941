import type { operations } from "@/api/schema.gen";

/** What the server is asked for, by the names that it has there. */
export type Asked = Omit<NonNullable<operations["audit_list"]["parameters"]["query"]>, "cursor" | "limit">;

/** Spans that end now, in seconds. */
export const SPANS = { hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000 } as const;
export type Span = keyof typeof SPANS;

export const OUTCOMES = ["done", "denied", "failed"] as const;

/** What stands in the address of the page: which records there are, and the one that is open. */
export interface AuditSearch {
  /** Since so long ago; else `since` and `until` hold. */
  last?: Span;
  since?: string;
  until?: string;
  actor?: string;
  action?: string;
  object?: string;
  outcome?: (typeof OUTCOMES)[number];
  address?: string;
  record?: string;
}

const MOST_LETTERS = 256;

function text(value: unknown): string | undefined {
  // The router reads what looks like a number as one.
  const said = typeof value === "number" ? String(value) : value;
  return typeof said === "string" && said !== "" ? said.slice(0, MOST_LETTERS) : undefined;
}

function moment(value: unknown): string | undefined {
  const at = typeof value === "string" ? new Date(value) : undefined;
  return at && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined;
}

/** The search of an address, with everything dropped that this page does not know. */
export function searchOf(search: Record<string, unknown>): AuditSearch {
  const last = (Object.keys(SPANS) as Span[]).find((each) => each === search.last);
  return {
    last,
    since: last ? undefined : moment(search.since),
    until: last ? undefined : moment(search.until),
    actor: text(search.actor),
    action: text(search.action),
    object: text(search.object),
    outcome: OUTCOMES.find((each) => each === search.outcome),
    address: text(search.address),
    record: text(search.record),
  };
}

/** Whether it leaves any record out. */
export function isFiltered({ record: _, ...filters }: AuditSearch): boolean {
  return Object.values(filters).some((each) => each !== undefined);
}

/** What the server is asked for at the moment `now` (ms). */
export function askedFor({ last, record: _, ...filters }: AuditSearch, now: number): Asked {
  return last ? { ...filters, since: new Date(now - SPANS[last] * 1000).toISOString() } : filters;
}
