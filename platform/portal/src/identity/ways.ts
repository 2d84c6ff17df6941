import { queryOptions } from "@tanstack/react-query";
import { api, body, type Schemas } from "@/api/client";
import { ownPath } from "@/features/roots";

export type WayName = Schemas["WayName"];
export type WaysOfUser = Schemas["WaysOfUser"];

export const WAYS = ["microsoft", "wechat"] as const satisfies readonly WayName[];

/** A way in beside the password, by the last part of an address. */
export function wayOf(name: unknown): WayName | undefined {
  return WAYS.find((each) => each === name);
}

/** By which ways the person at the screen signs in. */
export const waysQuery = queryOptions({
  queryKey: ["ways"],
  queryFn: () => body(api.GET("/api/v1/session/ways")),
});

/** What this tab keeps of a way while the browser is at the provider. */
export interface Begun {
  state: string;
  /** Where the person wanted to go. */
  next?: string;
  /** Whether an account is to be linked, else somebody signs in. */
  linking: boolean;
  /** Whether somebody who is signed in shows that it is they. */
  again?: boolean;
}

const KEPT = "atoll.way";

/**
 * Leave for the provider. What is kept here is of this origin alone: a page of a task at another port of the same host,
 * which shares its cookies, can have nobody come back to a way that was not begun here.
 */
export function leaveFor({ address, state }: Schemas["WayStarted"], more: Omit<Begun, "state">): void {
  sessionStorage.setItem(KEPT, JSON.stringify({ state, ...more } satisfies Begun));
  window.location.assign(address);
}

/** The way that was begun in this tab last. */
export function begun(): Begun | undefined {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    if (!found || typeof found !== "object" || !("state" in found) || typeof found.state !== "string") return undefined;
    const next = "next" in found ? ownPath(found.next) : undefined;
    const said = (name: "linking" | "again") => name in found && (found as Record<string, unknown>)[name] === true;
    return { state: found.state, next, linking: said("linking"), ...(said("again") && { again: true }) };
  } catch {
    return undefined;
  }
}

export function forgetBegun(): void {
  sessionStorage.removeItem(KEPT);
}
