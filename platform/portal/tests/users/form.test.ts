import { describe, expect, test } from "vitest";
import { EMPTY, isRepeated, NOBODY, requestOf, withPasswords } from "@/users/form";

const ada = { ...NOBODY, name: "ada", nickname: "Ada" };

describe("new users", () => {
  test("get a password each when the last step is shown, and keep what was proposed or typed", () => {
    let made = 0;
    const propose = (name: string) => `${name === "ada" ? "x" : name}-proposal-${++made}`;
    const [first, second] = withPasswords([ada, { ...ada, name: "eve", password: "typed-by-hand" }], propose);
    expect([first?.password, second?.password]).toEqual(["x-proposal-1", "typed-by-hand"]);
    expect(made).toBe(1);
    expect(withPasswords([first ?? ada], propose)[0]?.password).toBe("x-proposal-1");
  });

  test("get another one when the name was changed to what stands in it", () => {
    const propose = () => "another";
    expect(withPasswords([{ ...ada, password: "xxADAxx" }], propose)[0]?.password).toBe("another");
    expect(withPasswords([{ ...ada, name: "", password: "kept" }], propose)[0]?.password).toBe("kept");
  });

  test("are told to the server without what was left empty, and without blanks around it", () => {
    const fields = {
      ...EMPTY,
      users: [
        { ...ada, nickname: " Ada ", phone: " 123 ", password: " pass word " },
        { ...ada, name: "eve", email: "eve@example.org", phone: "  ", password: "q" },
      ],
      roles: ["user"],
    };
    expect(requestOf(fields)).toEqual({
      users: [
        { name: "ada", nickname: "Ada", phone: "123", password: " pass word " },
        { name: "eve", nickname: "Ada", email: "eve@example.org", password: "q" },
      ],
      roles: ["user"],
    });
    expect(requestOf({ ...fields, groups: ["g"], virtual_clusters: ["default"] })).toMatchObject({
      groups: ["g"],
      virtual_clusters: ["default"],
    });
  });

  test("whose name stands above already are told so, the first one is not", () => {
    const users = [ada, { ...ada, name: "eve" }, ada, NOBODY, NOBODY];
    expect(users.map((_, index) => isRepeated(users, index))).toEqual([false, false, true, false, false]);
    expect(isRepeated(users, 9)).toBe(false);
  });
});
