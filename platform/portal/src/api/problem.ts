import type { components } from "./schema.gen";

type ProblemBody = components["schemas"]["Problem"];
export type FieldError = components["schemas"]["FieldError"];

/** A refusal of the API (problem+json), or a request that never reached it (`code` is then `unreachable`). */
export class ApiProblem extends Error {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly remedy: string;
  readonly params: Record<string, unknown>;
  readonly requestId: string;
  readonly errors: FieldError[];

  constructor(body: Partial<ProblemBody> & { code: string; status: number }) {
    super(body.detail || body.title || body.code);
    this.name = "ApiProblem";
    this.code = body.code;
    this.status = body.status;
    this.detail = body.detail ?? "";
    this.remedy = body.remedy ?? "";
    this.params = body.params ?? {};
    this.requestId = body.request_id ?? "";
    this.errors = body.errors ?? [];
  }
}

/** Whatever was thrown, as a problem that can be shown. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  // fetch rejects with a TypeError when the server did not answer at all.
  return new ApiProblem({ code: error instanceof TypeError ? "unreachable" : "unexpected", status: 0, detail });
}

/** Whether the same request may get another answer: it got none, came too often, or the server failed. */
export function maySucceedLater(problem: ApiProblem): boolean {
  return problem.status === 0 || problem.status === 429 || problem.status >= 500;
}

/** The problem that an answer outside 2xx carries; a gateway in between may answer with something else than JSON. */
export function problemFrom(response: Response, body: unknown): ApiProblem {
  if (body && typeof body === "object" && "code" in body) return new ApiProblem(body as ProblemBody);
  return new ApiProblem({ code: `http_${response.status}`, status: response.status, detail: response.statusText });
}
