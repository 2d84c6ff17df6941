import { describe, expect, test } from "vitest";
import { ApiProblem, maySucceedLater, problemFrom, problemOf } from "@/api/problem";

describe("what went wrong", () => {
  test("a server that did not answer, and a gateway that answers in its own way, are problems, too", () => {
    expect(problemOf(new TypeError("Failed to fetch"))).toMatchObject({ code: "unreachable", status: 0 });
    expect(problemOf("?")).toMatchObject({ code: "unexpected", detail: "?" });
    const answer = new Response("<html>", { status: 502, statusText: "Bad Gateway" });
    expect(problemFrom(answer, "<html>")).toMatchObject({ code: "http_502", status: 502, detail: "Bad Gateway" });
  });

  test("another try is offered where it may help", () => {
    const statuses = [0, 401, 403, 404, 409, 422, 429, 500, 503];
    const offered = statuses.filter((status) => maySucceedLater(new ApiProblem({ code: "x", status })));
    expect(offered).toEqual([0, 429, 500, 503]);
  });
});
