import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test, vi } from "vitest";
import { type Crumb, Page, type PageProps } from "@/elements/page";

// A link of the router needs all of its routes; here it is only where it leads.
vi.mock("@tanstack/react-router", () => ({ Link: ({ to }: { to: string }) => createElement("a", { href: to }) }));

function separators(crumbs: Crumb[]): number {
  const page = renderToStaticMarkup(createElement(Page, { title: "x", crumbs } as PageProps));
  return page.split("lucide-chevron-right").length - 1;
}

describe("the way up", () => {
  test("separators stand between pages, none behind the last", () => {
    const crumbs = ["/a", "/b", "/c"].map((to) => ({ to, label: to }));
    expect([1, 2, 3].map((count) => separators(crumbs.slice(0, count)))).toEqual([0, 1, 2]);
  });
});
