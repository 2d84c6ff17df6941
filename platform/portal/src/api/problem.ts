import type codes from "@/locales/codes.en.gen.json";
import type { components } from "./schema.gen";

type ProblemBody = components["schemas"]["Problem"];
export type FieldError = components["schemas"]["FieldError"];

/** What a refusal can be told by: what the server declares, and what goes wrong on the way to it. */
export type ProblemCode = keyof (typeof codes)["problem"] | "unreachable" | "unexpected" | `http_${number}`;

/** A refusal of the API (problem+json), or a request that never reached it (`code` is then `unreachable`). */
export class ApiProblem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly detail: string;
  readonly remedy: string;
  readonly params: Record<string, unknown>;
  readonly requestId: string;
  readonly errors: FieldError[];

  constructor(body: Partial<ProblemBody> & { code: string; status: number }) {
    super(body.detail || body.title || body.code);
    this.name = "ApiProblem";
    this.code = body.code as ProblemCode; // a newer server may know more, which nobody here can ask for
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
