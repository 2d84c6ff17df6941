import type { ApiProblem } from "@/api/problem";

/**
 * The key by which the server knows a request again. While nobody knows whether a request arrived, trying again must be the
 * same request, or one training becomes two.
 */
export class RequestKey {
  private asked: string | undefined;
  private key = "";

  /** What goes into the header. Another request, because the form was changed, has another key. */
  of(request: object): string {
    const text = JSON.stringify(request);
    if (text !== this.asked) this.key = crypto.randomUUID();
    this.asked = text;
    return this.key;
  }

  /** The request failed: a refusal settles it; no answer, or a failure of the server, leaves open whether it was done. */
  failed(problem: ApiProblem): void {
    if (problem.status >= 400 && problem.status < 500) this.asked = undefined;
  }
}
