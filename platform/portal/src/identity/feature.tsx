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

interface SignInSearch {
  next?: string;
}

const searchOf = (search: Record<string, unknown>): SignInSearch => ({ next: ownPath(search.next) });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: searchOf,
  beforeLoad: async ({ context, search }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (session && !session.must_change_password) throw redirect({ href: search.next ?? "/" });
    if (session) throw redirect({ to: "/password", search });
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

/** Who is at the screen: signing in, the password, what the server lets a person do. */
export const identity = {
  name: "identity",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  entrances: [signIn, password],
} as const satisfies Feature;
