import { describe, expect, test } from "vitest";
import type { FieldError } from "@/api/problem";
import { fieldPath } from "@/elements/field-path";
import { landing, stepOf } from "@/elements/wizard-steps";
import { STEPS } from "@/users/form";

const mistake = (field: string): FieldError => ({ field, code: "missing", message: "", params: {} });

describe("the step that a field belongs to", () => {
  test.each([
    ["users", 0],
    ["users.3", 0],
    ["users.3.name", 0],
    ["users.0.nickname", 0],
    ["users.12.email", 0],
    ["roles", 1],
    ["roles.0", 1],
    ["virtual_clusters.2", 1],
    ["users.3.password", 2],
    ["users.3.password.text", 2],
    ["", -1],
    ["user", -1],
    ["users_more", -1],
    ["password", -1],
  ])("%s → %i", (field, step) => {
    expect(stepOf(STEPS, field)).toBe(step);
  });

  test("is the closer one, wherever it stands", () => {
    const steps = [
      { key: "passwords", fields: ["users.*.password"] },
      { key: "users", fields: ["users"] },
    ];
    expect(["users.1.password", "users.1.name", "users"].map((field) => stepOf(steps, field))).toEqual([0, 1, 1]);
  });
});

describe("a refused form", () => {
  test("lands at the first step that has a mistake, at the first that was told of it, and tells all", () => {
    const errors = ["users.3.password", "roles.1", "users.3.name", "users.5.name"].map(mistake);
    expect(landing(STEPS, errors)).toEqual({ step: 0, field: "users.3.name", errors });
    expect(landing(STEPS, errors.slice(0, 2))).toMatchObject({ step: 1, field: "roles.1" });
  });

  test("tells what has no field of the form to nobody's field", () => {
    const errors = [mistake(""), mistake("users.0.password"), mistake("unheard_of")];
    expect(landing(STEPS, errors)).toEqual({ step: 2, field: "users.0.password", errors: [errors[1]] });
    expect(landing(STEPS, [mistake(""), mistake("unheard_of")])).toBeUndefined();
    expect(landing(STEPS, [])).toBeUndefined();
  });

  test("names fields as forms do: places in lists are numbers", () => {
    expect(fieldPath("users.3.name")).toEqual(["users", 3, "name"]);
    expect(fieldPath("roles")).toEqual(["roles"]);
    expect(fieldPath("a.b2.10")).toEqual(["a", "b2", 10]);
  });
});
