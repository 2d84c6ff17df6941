import { type QueryClient, queryOptions, useQueryClient } from "@tanstack/react-query";
import { createContext, use } from "react";
import { ApiProblem, api, body, type Schemas } from "@/api/client";
import { allows, type Needs } from "@/features/feature";
import { knowDeviceTypes } from "@/formats/devices";

export type Session = Schemas["Session"];
export type Permission = Schemas["Permission"];

const SIGNED_IN = "atoll.signed_in";

/** The cookie is not readable here; without this note the first visit would ask for a session that cannot be there. */
export function noteSignedIn(signedIn: boolean): void {
  if (signedIn) localStorage.setItem(SIGNED_IN, "yes");
  else localStorage.removeItem(SIGNED_IN);
}

/** Who is signed in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async (): Promise<Session | null> => {
    if (!localStorage.getItem(SIGNED_IN)) return null;
    try {
      const session = await body(api.GET("/api/v1/session"));
      knowDeviceTypes(session.device_types);
      return session;
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 401) {
        noteSignedIn(false);
        return null;
      }
      throw error;
    }
  },
});

/** Given by the frame of the pages for people who are signed in. */
export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error("useSession outside of a page for people who are signed in");
  return session;
}

/** Whether the server lets the person at the screen do this, or one of these. */
export function useMay(): (needs: Needs) => boolean {
  const { permissions } = useSession();
  return (needs) => allows(permissions, needs);
}

/** Nothing that one person saw stays for the next one. */
export function forgetPerson(queries: QueryClient): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" && queryKey[0] !== "about" });
}

export function useSetSession(): (session: Session | null) => void {
  const queries = useQueryClient();
  return (session) => {
    // Whoever was here before may have left by the end of their session.
    if (session !== null) forgetPerson(queries);
    noteSignedIn(session !== null);
    knowDeviceTypes(session?.device_types ?? []);
    queries.setQueryData(sessionQuery.queryKey, session);
  };
}
