import type { Schemas } from "@/api/client";

type Kind = Schemas["Permissions"]["kinds"][number];
type Granted = Schemas["Permissions"]["permissions"][number];

/** The two kinds that most roles are made of; the third, administration, stands among the finer permissions. */
export const MAIN = ["platform", "annotation"] as const;

/** All rights of the platform are with annotation. */
const PART_OF: Partial<Record<string, string>> = { annotation: "platform" };

/** What the kinds among `grants` come to. */
export function covered(kinds: readonly Kind[], grants: readonly string[]): Set<string> {
  return new Set(kinds.filter(({ name }) => grants.includes(name)).flatMap(({ permissions }) => permissions));
}

/** Whether this kind is a part of another one that is chosen. */
export function isImplied(grants: readonly string[], name: string): boolean {
  const whole = PART_OF[name];
  return whole !== undefined && grants.includes(whole);
}

/** The grants with this one more; what it brings along need not be told any more. */
export function withGrant(kinds: readonly Kind[], grants: readonly string[], name: string): string[] {
  const more = [...grants.filter((each) => each !== name), name];
  const brought = covered(kinds, more);
  return more.filter((each) => !brought.has(each) && !isImplied(more, each));
}

export function withoutGrant(grants: readonly string[], name: string): string[] {
  return grants.filter((each) => each !== name);
}

/** Single permissions, each below the first kind that has it, in the order of the kinds; parts below their wholes. */
export function byKind(
  kinds: readonly Kind[],
  permissions: readonly Granted[],
): { kind: Kind["name"]; permissions: string[] }[] {
  const shown = kinds.filter(({ name }) => PART_OF[name] === undefined);
  const placeOf = ({ kinds: of }: Granted) =>
    shown.findIndex(({ name }) => of.some((each) => (PART_OF[each] ?? each) === name));
  return shown
    .map(({ name }, index) => ({
      kind: name,
      permissions: permissions.filter((each) => placeOf(each) === index).map((each) => each.name),
    }))
    .filter((each) => each.permissions.length > 0);
}
