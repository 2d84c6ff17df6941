import { useQueryClient } from "@tanstack/react-query";
import { type Account, userQuery } from "@/people/queries";

/** Reads an account as it is now, whatever is known of it here. */
export function useReread(id: string): () => Promise<Account> {
  const queries = useQueryClient();
  return () => queries.fetchQuery({ ...userQuery(id), staleTime: 0 });
}
