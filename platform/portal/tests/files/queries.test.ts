import { InfiniteQueryObserver, QueryClient } from "@tanstack/react-query";
import { describe, expect, test } from "vitest";
import { type FileEntry, joined, type Listing, parentOf, relativeTo, waysTo } from "@/files/queries";

const file = (path: string, size_bytes = 1) =>
  ({ path, name: path, kind: "file", size_bytes, modified_at: "2026-01-01T00:00:00Z" }) as FileEntry;
const page = (items: FileEntry[], next_cursor: string | null): Listing => ({
  path: "",
  location: "/home/ada",
  items,
  next_cursor,
});

describe("directories", () => {
  test("pages read one after the other are one listing that goes on where the last page ends", () => {
    const pages = [page([file("a"), file("b", 1)], "b"), page([file("b", 2), file("c")], null)];
    const listing = joined({ pages, pageParams: [undefined, "b"] });
    expect(listing.items.map((each) => [each.path, each.size_bytes])).toEqual([
      ["a", 1],
      ["b", 2],
      ["c", 1],
    ]);
    expect(listing.next_cursor).toBeNull();
    expect(joined({ pages: pages.slice(0, 1), pageParams: [undefined] }).next_cursor).toBe("b");
  });

  test("the next page arrives although the directory is read again every moment", async () => {
    const queries = new QueryClient();
    const slow = (items: FileEntry[], next: string | null) =>
      new Promise<Listing>((done) => setTimeout(() => done(page(items, next)), 60));
    const observer = new InfiniteQueryObserver(queries, {
      queryKey: ["tasks", "files", "1", ""],
      initialPageParam: undefined as string | undefined,
      queryFn: ({ pageParam }) => (pageParam ? slow([file("b")], null) : slow([file("a")], "a")),
      getNextPageParam: (last) => last.next_cursor ?? undefined,
      select: joined,
    });
    const close = observer.subscribe(() => undefined);
    await observer.refetch();
    const poll = setInterval(() => queries.invalidateQueries({ queryKey: ["tasks"] }, { cancelRefetch: false }), 20);
    await observer.fetchNextPage();
    clearInterval(poll);
    close();
    expect(observer.getCurrentResult().data?.items.map((each) => each.name)).toEqual(["a", "b"]);
  });

  test("paths are told relative to the home", () => {
    expect(["/home/ada", "/home/ada/code/", "code/x"].map((path) => relativeTo("/home/ada", path))).toEqual([
      "",
      "code",
      "code/x",
    ]);
    expect([parentOf("a/b"), parentOf("a")]).toEqual(["a", ""]);
    expect(waysTo("a/b").map((way) => way.path)).toEqual(["a", "a/b"]);
  });
});
