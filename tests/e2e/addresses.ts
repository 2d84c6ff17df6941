/** Every address of the portal, and which specs look at it (addresses.json; the portal's tests/house holds it against the router). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";

/** Routes as the router writes them, each with its families: specs by their names below tests/e2e. */
const ADDRESSES = JSON.parse(readFileSync(join(import.meta.dirname, "addresses.json"), "utf8")) as Record<
  string,
  string[]
>;

/** What stands for a route: at least one address where it has parameters, else other views of its page. */
export type Places = Record<string, readonly string[] | ((page: Page) => Promise<string[]>)>;

/** All families. */
export const FAMILIES: readonly string[] = [...new Set(Object.values(ADDRESSES).flat())];

/** The routes that a family of specs looks at. Throws where addresses.json does not have it. */
export function routesOf(family: string): string[] {
  const routes = Object.keys(ADDRESSES).filter((route) => ADDRESSES[route]?.includes(family));
  if (routes.length === 0) throw new Error(`addresses.json has no route that ${family} looks at`);
  return routes;
}

/** Those of them that are addresses as they stand, without parameters. */
export function plainOf(family: string): string[] {
  return routesOf(family).filter((route) => !route.includes("$"));
}

/** The addresses that a family of specs looks at, in the order of the file. */
export async function addressesOf(page: Page, family: string, places: Places = {}): Promise<string[]> {
  const routes = routesOf(family);
  const foreign = Object.keys(places).filter((route) => !(route in ADDRESSES));
  if (foreign.length > 0) throw new Error(`addresses.json has no route ${foreign.join(", ")}`);
  const found: string[] = [];
  for (const route of routes) {
    const place = places[route] ?? (route.includes("$") ? [] : [route]);
    const addresses = typeof place === "function" ? await place(page) : place;
    if (addresses.length === 0) throw new Error(`${family} does not say what stands for ${route}`);
    found.push(...addresses);
  }
  return found;
}

/** The route of an address without its query: one by name, else one with parameters, else that of no page. */
export function routeOf(path: string): string {
  if (path in ADDRESSES) return path;
  const parts = path.split("/");
  const fits = (route: string) => {
    const wanted = route.split("/");
    return wanted.length === parts.length && wanted.every((each, at) => each.startsWith("$") || each === parts[at]);
  };
  return Object.keys(ADDRESSES).find((route) => route !== "/$" && fits(route)) ?? "/$";
}
