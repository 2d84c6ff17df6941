import { describe, expect, test } from "vitest";
import { ApiProblem, problemOf } from "@/api/problem";
import { RequestKey } from "@/training/request-key";

/** Whether the next try with the same form is another request for the server. */
function anotherAfter(problem: ApiProblem): boolean {
  const key = new RequestKey();
  const before = key.of({ name: "digits" });
  key.failed(problem);
  return key.of({ name: "digits" }) !== before;
}

describe("trying again to start a training", () => {
  test("is the same request after an answer that was lost", () => {
    expect(anotherAfter(problemOf(new TypeError("Failed to fetch")))).toBe(false);
    for (const status of [500, 502, 503, 504])
      expect(anotherAfter(new ApiProblem({ code: `http_${status}`, status }))).toBe(false);
  });

  test("is another request after a refusal", () => {
    for (const status of [401, 409, 422]) expect(anotherAfter(new ApiProblem({ code: "refused", status }))).toBe(true);
  });

  test("is another request when another thing is asked for", () => {
    const key = new RequestKey();
    const digits = key.of({ name: "digits" });
    key.failed(problemOf(new TypeError("Failed to fetch")));
    expect(key.of({ name: "digits" })).toBe(digits);
    expect(key.of({ name: "faces" })).not.toBe(digits);
  });
});
