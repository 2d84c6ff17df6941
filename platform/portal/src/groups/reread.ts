import { useQueryClient } from "@tanstack/react-query";
import { type Group, groupQuery } from "@/people/queries";

/** Reads a group as it is now, whatever is known of it here. */
export function useReread(id: string): () => Promise<Group> {
  const queries = useQueryClient();
  return () => queries.fetchQuery({ ...groupQuery(id), staleTime: 0 });
}
