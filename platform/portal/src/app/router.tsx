import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { Failed } from "@/elements/states";
import { sessionQuery } from "@/identity/session";
import { searchOf } from "@/tasks/list/search";
import { Missing } from "./missing";
import { Shell } from "./shell";

interface Context {
  queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: Missing });

interface SignInSearch {
  next?: string;
}

/** Only a path of this portal: a link from elsewhere must not lead a person on to a foreign address. */
function ownPath(value: unknown): string | undefined {
  return typeof value === "string" && /^\/(?![/\\])/.test(value) ? value : undefined;
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): SignInSearch => ({ next: ownPath(search.next) }),
  beforeLoad: async ({ context, search }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (session && !session.must_change_password) throw redirect({ href: search.next ?? "/overview" });
    if (session) throw redirect({ to: "/password", search });
  },
  component: lazyRouteComponent(() => import("@/identity/sign-in-page"), "SignInPage"),
});

const password = createRoute({
  getParentRoute: () => root,
  path: "/password",
  validateSearch: (search: Record<string, unknown>): SignInSearch => ({ next: ownPath(search.next) }),
  beforeLoad: async ({ context }) => {
    if (!(await context.queries.ensureQueryData(sessionQuery))) throw redirect({ to: "/sign-in" });
  },
  component: lazyRouteComponent(() => import("@/identity/password-page"), "PasswordPage"),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (!session) {
      throw redirect({ to: "/sign-in", search: { next: location.pathname === "/" ? undefined : location.href } });
    }
    if (session.must_change_password) throw redirect({ to: "/password", search: { next: location.href } });
  },
  component: Shell,
});

const index = createRoute({
  getParentRoute: () => shell,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/overview" });
  },
});
const overview = createRoute({
  getParentRoute: () => shell,
  path: "/overview",
  component: lazyRouteComponent(() => import("@/overview/overview-page"), "OverviewPage"),
});
const training = createRoute({
  getParentRoute: () => shell,
  path: "/training",
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import("@/tasks/list/list-page"), "TrainingListPage"),
});
const newTraining = createRoute({
  getParentRoute: () => shell,
  path: "/training/new",
  validateSearch: (search: Record<string, unknown>): { copy?: string; example?: string } => ({
    copy: typeof search.copy === "string" ? search.copy : undefined,
    example: typeof search.example === "string" ? search.example : undefined,
  }),
  component: lazyRouteComponent(() => import("@/training/new-page"), "NewTrainingPage"),
});
export const TABS = ["overview", "log", "charts", "files", "events", "definition"] as const;
export type Tab = (typeof TABS)[number];
const trainingDetail = createRoute({
  getParentRoute: () => shell,
  path: "/training/$id",
  validateSearch: (search: Record<string, unknown>): { tab?: Tab; path?: string; rank?: number } => ({
    tab: TABS.find((tab) => tab === search.tab),
    path: typeof search.path === "string" ? search.path : undefined,
    rank:
      typeof search.rank === "number" && Number.isInteger(search.rank) && search.rank >= 0 ? search.rank : undefined,
  }),
  component: lazyRouteComponent(() => import("@/tasks/detail/detail-page"), "TrainingDetailPage"),
});
const nodes = createRoute({
  getParentRoute: () => shell,
  path: "/nodes",
  component: lazyRouteComponent(() => import("@/nodes/nodes-page"), "NodesPage"),
});
const services = createRoute({
  getParentRoute: () => shell,
  path: "/services",
  component: lazyRouteComponent(() => import("@/services/services-page"), "ServicesPage"),
});
const runs = createRoute({
  getParentRoute: () => shell,
  path: "/runs",
  component: lazyRouteComponent(() => import("@/runs/runs-page"), "RunsPage"),
});
const run = createRoute({
  getParentRoute: () => shell,
  path: "/runs/$id",
  component: lazyRouteComponent(() => import("@/runs/run-page"), "RunPage"),
});

const tree = root.addChildren([
  signIn,
  password,
  shell.addChildren([index, overview, training, newTraining, trainingDetail, nodes, services, runs, run]),
]);

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
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
