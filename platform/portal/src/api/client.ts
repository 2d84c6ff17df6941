import createClient, { type Middleware } from "openapi-fetch";
import { ApiProblem, problemFrom, problemOf } from "./problem";
import type { components, paths } from "./schema.gen";

export type Schemas = components["schemas"];

let signedOut: () => void = () => undefined;
let notAllowed: () => void = () => undefined;

/** Tell who wants to know when the API no longer knows this session. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener;
}

/** Tell who wants to know when the API refuses what the portal offered: somebody may have taken a right away. */
export function onNotAllowed(listener: () => void): void {
  notAllowed = listener;
}

/** Questions that are not answered yet, and when the next ones may be asked. */
const open = new Map<Request, AbortController>();
let next: Promise<unknown> = Promise.resolve();

function breakOff(): void {
  for (const question of open.values()) question.abort();
}

/**
 * Do what ends the session. What was asked before is broken off, and what is asked meanwhile waits: the answers would be
 * refusals that nobody needs. It is asked after all when the end failed.
 */
export async function withoutQuestions(end: () => Promise<unknown>): Promise<void> {
  breakOff();
  const ended = end().then(breakOff);
  next = ended.catch(() => undefined);
  await ended;
}

/** A question that can be broken off by whoever asks and by the end of the session. */
async function question(request: Request): Promise<Request> {
  const by = new AbortController();
  request.signal.addEventListener("abort", () => by.abort(request.signal.reason), { once: true });
  const asked = new Request(request, { signal: by.signal });
  open.set(asked, by);
  await next;
  return asked;
}

const session: Middleware = {
  onRequest({ request }) {
    if (request.method === "GET") return question(request);
    request.headers.set("X-Atoll-Request", "1");
    return request;
  },
  onError({ request }) {
    open.delete(request);
  },
  onResponse({ request, response }) {
    open.delete(request);
    if (response.status === 401 && !request.url.endsWith("/session")) signedOut();
    if (response.status === 403) notAllowed();
    return response;
  },
};

export const api = createClient<paths>({ baseUrl: "" });
api.use(session);

/** The body of an answer; raises ApiProblem for a refusal and when the server cannot be reached. */
export async function body<D>(answer: Promise<{ data?: D; error?: unknown; response: Response }>): Promise<D> {
  let result: Awaited<typeof answer>;
  try {
    result = await answer;
  } catch (error) {
    throw problemOf(error);
  }
  if (result.error !== undefined || !result.response.ok) throw problemFrom(result.response, result.error);
  return result.data as D;
}

export { ApiProblem };
