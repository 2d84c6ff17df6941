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

const session: Middleware = {
  onRequest({ request }) {
    if (request.method !== "GET") request.headers.set("X-Atoll-Request", "1");
    return request;
  },
  onResponse({ request, response }) {
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
