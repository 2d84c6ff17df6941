import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { ownPath, root } from "@/features/roots";
import type words from "./locales/en.json";
import { sessionQuery } from "./session";

declare module "i18next" {
  interface ResourceNamespaceMap {
    identity: typeof words;
  }
}

interface EntranceSearch {
  next?: string;
}

const searchOf = (search: Record<string, unknown>): EntranceSearch => ({ next: ownPath(search.next) });

/** Whoever opens the page by a link made elsewhere is told of no account but one that can be. */
const accountOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^[a-z0-9-]{2,32}$/.test(value) ? value : undefined;

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): EntranceSearch & { registered?: string } => ({
    ...searchOf(search),
    registered: accountOf(search.registered),
  }),
  beforeLoad: async ({ context, search }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (session && !session.must_change_password) throw redirect({ href: search.next ?? "/" });
    if (session) throw redirect({ to: "/password", search: { next: search.next } });
  },
  component: lazyRouteComponent(() => import("./sign-in-page"), "SignInPage"),
});

const password = createRoute({
  getParentRoute: () => root,
  path: "/password",
  validateSearch: searchOf,
  beforeLoad: async ({ context }) => {
    if (!(await context.queries.ensureQueryData(sessionQuery))) throw redirect({ to: "/sign-in" });
  },
  component: lazyRouteComponent(() => import("./password-page"), "PasswordPage"),
});

const register = createRoute({
  getParentRoute: () => root,
  path: "/register",
  component: lazyRouteComponent(() => import("./register-page"), "RegisterPage"),
});

/** Providers send browsers back here; with what, `arrival.ts` has taken from the address. */
const way = createRoute({
  getParentRoute: () => root,
  path: "/sign-in/by/$way",
  component: lazyRouteComponent(() => import("./way-page"), "WayPage"),
});

const noAccess = createRoute({
  getParentRoute: () => root,
  path: "/no-access",
  validateSearch: searchOf,
  beforeLoad: async ({ context, search }) => {
    const session = await context.session();
    if (!session) throw redirect({ to: "/sign-in", search });
    if (session.must_change_password) throw redirect({ to: "/password", search });
    if (session.lacks.length === 0) throw redirect({ href: search.next ?? "/" });
  },
  component: lazyRouteComponent(() => import("./no-access-page"), "NoAccessPage"),
});

/** Who is at the screen: signing in, the password, what the server lets a person do. */
export const identity = {
  name: "identity",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  entrances: [signIn, way, password, register, noAccess],
} as const satisfies Feature;
