import type { UserFilters } from "@/people/queries";

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, 128) : undefined;
}

/** The filters of an address, with everything dropped that this page does not know. */
export function filtersOf(search: Record<string, unknown>): UserFilters {
  return {
    words: text(search.words),
    active: typeof search.active === "boolean" ? search.active : undefined,
    waiting: search.waiting === true ? true : undefined,
    role: text(search.role),
    group: text(search.group),
  };
}
