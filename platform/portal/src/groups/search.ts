/** What stands in the address of the list. */
export function searchOf(search: Record<string, unknown>): { words?: string } {
  return { words: typeof search.words === "string" && search.words !== "" ? search.words.slice(0, 128) : undefined };
}
