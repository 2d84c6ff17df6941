import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { loadWords } from "@/words/language";
import type { KnownKind } from "./feature";

export interface RouterContext {
  queries: QueryClient;
  kinds: readonly KnownKind[];
  /** Who is signed in, and what they lack before any page is of use to them; null: nobody. */
  session: () => Promise<{ must_change_password: boolean; lacks: readonly string[] } | null>;
}

/** Above every page. */
export const root = createRootRouteWithContext<RouterContext>()({ component: Outlet });

/** Above every page for people who are signed in; `app/` gives it its frame with menu and top bar. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ context, location }) => {
    const session = await context.session();
    const next = location.pathname === "/" ? undefined : location.href;
    if (!session) throw redirect({ to: "/sign-in", search: { next } });
    if (session.must_change_password) throw redirect({ to: "/password", search: { next: location.href } });
    if (session.lacks.length > 0) throw redirect({ to: "/no-access", search: { next } });
  },
  // The frame has the menu of the account and the choice of the virtual cluster.
  loader: () => loadWords("identity", "virtual_clusters"),
});

/** Only a path of this portal: a link from elsewhere must not lead a person on to a foreign address. */
export function ownPath(value: unknown): string | undefined {
  return typeof value === "string" && /^\/(?![/\\])/.test(value) ? value : undefined;
}
