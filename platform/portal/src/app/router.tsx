import type { QueryClient } from "@tanstack/react-query";
import { createRoute, createRouter, redirect } from "@tanstack/react-router";
import { Failed } from "@/elements/states";
import type { Feature } from "@/features/feature";
import { kindsOf } from "@/features/feature";
import { root, shell } from "@/features/roots";
import { aboutQuery, isInstalled } from "@/identity/about";
import { homeOf, lacksOf } from "@/identity/admission";
import { sessionQuery } from "@/identity/session";
import { loadWords } from "@/words/language";
import { FEATURES } from "./features";
import { Missing } from "./missing";
import { Shell } from "./shell";

const index = createRoute({
  getParentRoute: () => shell,
  path: "/",
  beforeLoad: async ({ context }) => {
    const [session, about] = await Promise.all([
      context.queries.ensureQueryData(sessionQuery),
      context.queries.ensureQueryData(aboutQuery).catch(() => undefined), // the overview is everywhere
    ]);
    throw redirect({ href: session ? homeOf(session, FEATURES, isInstalled(about)) : "/sign-in" });
  },
});

/** An address of no page keeps the menu, by which one gets away from it. */
const missing = createRoute({ getParentRoute: () => shell, path: "$", component: Missing });

root.update({ notFoundComponent: Missing });
shell.update({ component: Shell });

// The words of a feature come with its page, not after it.
for (const feature of FEATURES as readonly Feature[]) {
  for (const { options } of [...(feature.routes ?? []), ...(feature.entrances ?? [])]) {
    Object.assign(options, { loader: () => loadWords(feature.name, ...(options.staticData?.shows ?? [])) });
  }
}

type Listed = (typeof FEATURES)[number];
type Page = Extract<Listed, { routes: unknown }>["routes"][number];
type Entrance = Extract<Listed, { entrances: unknown }>["entrances"][number];

/** The pages of all features; the list knows the types of their addresses, which flattening it would lose. */
function pages<Of>(place: "routes" | "entrances"): Of[] {
  return (FEATURES as readonly Feature[]).flatMap((feature) => feature[place] ?? []) as Of[];
}

const tree = root.addChildren([
  ...pages<Entrance>("entrances"),
  shell.addChildren([index, missing, ...pages<Page>("routes")]),
]);

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: {
      queries,
      kinds: kindsOf(FEATURES),
      session: async () => {
        const session = await queries.ensureQueryData(sessionQuery);
        return session && { must_change_password: session.must_change_password, lacks: lacksOf(session, FEATURES) };
      },
    },
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultErrorComponent: ({ error, reset }) => <Failed error={error} retry={reset} />,
    defaultNotFoundComponent: Missing,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
