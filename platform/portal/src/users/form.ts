import type { Schemas } from "@/api/client";
import { holdsName, proposedPassword } from "./password";

/** What the form holds of one new user. */
export interface PersonFields {
  name: string;
  nickname: string;
  phone: string;
  email: string;
  /** Proposed when the last step is shown, and then the administrator's to change. */
  password: string;
}

/** What the form of new users holds; its names are those of the request, so that mistakes find their fields. */
export interface FormFields {
  users: PersonFields[];
  roles: string[];
  groups: string[];
  virtual_clusters: string[];
}

export const NOBODY: PersonFields = { name: "", nickname: "", phone: "", email: "", password: "" };

export const EMPTY: FormFields = { users: [NOBODY], roles: [], groups: [], virtual_clusters: [] };

/** The steps, and the fields that each has. */
export const STEPS = [
  { key: "information", fields: ["users"] },
  { key: "roles", fields: ["roles", "groups", "virtual_clusters"] },
  { key: "confirm", fields: ["users.*.password"] },
] as const;

/** Every user with a password: one that was proposed or typed stays, unless it holds what is now the user's name. */
export function withPasswords(users: readonly PersonFields[], propose = proposedPassword): PersonFields[] {
  return users.map((user) =>
    user.password === "" || holdsName(user.password, user.name) ? { ...user, password: propose(user.name) } : user,
  );
}

/** Names that stand twice: the server has each once, so the later one is the mistake. */
export function isRepeated(users: readonly Pick<PersonFields, "name">[], index: number): boolean {
  const name = users[index]?.name;
  return Boolean(name) && users.findIndex((user) => user?.name === name) < index;
}

/** The request that the fields stand for; what was left empty is not told. */
export function requestOf({ users, roles, groups, virtual_clusters }: FormFields): Schemas["UsersCreate"] {
  return {
    users: users.map(({ name, nickname, phone, email, password }) => ({
      name,
      nickname: nickname.trim(),
      password,
      ...(phone.trim() && { phone: phone.trim() }),
      ...(email.trim() && { email: email.trim() }),
    })),
    roles,
    ...(groups.length > 0 && { groups }),
    ...(virtual_clusters.length > 0 && { virtual_clusters }),
  };
}
