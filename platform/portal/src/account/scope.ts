import type { Schemas } from "@/api/client";

type Options = Schemas["AccessTokenOptions"];
export type Grant = Schemas["AccessTokenCreate"]["grants"][number];

/** What comes to all that somebody may do: the kinds that they hold as a whole, and what else they hold. */
export function everything({ kinds, permissions }: Options): Grant[] {
  const wholes = kinds.filter(
    ({ name, permissions: of }) =>
      !kinds.some((other) => other.name !== name && of.every((each) => other.permissions.includes(each))),
  );
  const covered = new Set<string>(wholes.flatMap((kind) => kind.permissions));
  return [...wholes.map(({ name }) => name), ...permissions.filter((each) => !covered.has(each))];
}

const USUAL_DAYS = [7, 30, 90, 365];

/** For how long a token may be made, the longest last. */
export function terms(most: number): number[] {
  const shorter = USUAL_DAYS.filter((days) => days < most);
  return [...shorter, most];
}

/** What is proposed: a month, where that may be. */
export function usualTerm(most: number): number {
  return Math.min(30, most);
}
