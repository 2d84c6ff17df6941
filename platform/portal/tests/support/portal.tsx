import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from "@tanstack/react-router";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { I18nextProvider } from "react-i18next";
import type { Schemas } from "@/api/client";
import { FEATURES } from "@/app/features";
import { FeedbackProvider } from "@/elements/feedback";
import { RegistryContext, registryOf } from "@/features/registry";
import { type Session, SessionContext } from "@/identity/session";
import { speaking } from "./words";

type Answer = (request: Request) => unknown;

/** What the API answers, by `METHOD /path`; a Response stands for itself. Returns the requests as they come. */
export function serve(answers: Record<string, Answer>): Request[] {
  const asked: Request[] = [];
  globalThis.answer = async (request) => {
    request.signal.throwIfAborted();
    asked.push(request.clone());
    const { pathname } = new URL(request.url);
    const answer = answers[`${request.method} ${pathname}`];
    if (!answer) return problem(404, "not_found");
    const body = await Promise.race([answer(request), brokenOff(request.signal)]);
    return body instanceof Response ? body : Response.json(body);
  };
  return asked;
}

/** As `fetch` does: whoever breaks off gets no answer. */
function brokenOff(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

export function problem(status: number, code: string, more: Partial<Schemas["Problem"]> = {}): Response {
  return Response.json({ code, status, title: code, detail: "", remedy: "", errors: [], ...more }, { status });
}

const ADA = {
  user: { id: "1", name: "ada", nickname: "", roles: [{ id: "user", name: "User" }] },
  virtual_clusters: [{ id: "1", name: "default" }],
  must_change_password: false,
  permissions: ["tasks:read", "tasks:create", "virtual_clusters:read", "overview:read"],
} as unknown as Session;

/** A part of the portal as a person who is signed in sees it, in English. */
export async function show(
  part: ReactNode,
  { at = "/", session = {} }: { at?: string; session?: Partial<Session> } = {},
) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 10_000 } } });
  const i18n = await speaking("en");
  const root = createRootRoute({ component: Outlet });
  const page = createRoute({ getParentRoute: () => root, path: "$", component: () => part });
  const home = createRoute({ getParentRoute: () => root, path: "/", component: () => part });
  const router = createRouter({
    routeTree: root.addChildren([home, page]),
    history: createMemoryHistory({ initialEntries: [at] }),
  });
  await router.load();
  const view = render(
    <I18nextProvider i18n={i18n}>
      <QueryClientProvider client={queries}>
        <FeedbackProvider>
          <RegistryContext value={registryOf(FEATURES)}>
            <SessionContext value={{ ...ADA, ...session }}>
              <RouterProvider router={router as never} />
            </SessionContext>
          </RegistryContext>
        </FeedbackProvider>
      </QueryClientProvider>
    </I18nextProvider>,
  );
  return { ...view, queries, router };
}
