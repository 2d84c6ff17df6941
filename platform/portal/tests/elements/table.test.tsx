// @vitest-environment happy-dom
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test, vi } from "vitest";
import { type Column, Table } from "@/elements/table";

interface Row {
  name: string;
  size: number;
}

const COLUMNS: Column<Row>[] = [
  {
    key: "name",
    title: "Name",
    compare: (one, other) => one.name.localeCompare(other.name),
    render: (row) => row.name,
  },
  {
    key: "size",
    title: "Size",
    align: "right",
    compare: (one, other) => one.size - other.size,
    render: (row) => row.size,
  },
  { key: "why", title: "Why", render: () => "–" },
];
const ROWS: Row[] = [
  { name: "b", size: 1 },
  { name: "a", size: 3 },
  { name: "c", size: 2 },
];

const shown = () =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getAllByRole("cell")[0]?.textContent);

describe("a table", () => {
  test("sorts up, down and not at all, and says so to screen readers", async () => {
    render(<Table rows={ROWS} columns={COLUMNS} keyOf={(row) => row.name} />);
    const heading = screen.getByRole("columnheader", { name: "Size" });
    expect(shown()).toEqual(["b", "a", "c"]);
    await userEvent.click(within(heading).getByRole("button"));
    expect([shown(), heading.getAttribute("aria-sort")]).toEqual([["b", "c", "a"], "ascending"]);
    await userEvent.click(within(heading).getByRole("button"));
    expect([shown(), heading.getAttribute("aria-sort")]).toEqual([["a", "c", "b"], "descending"]);
    await userEvent.click(within(heading).getByRole("button"));
    expect([shown(), heading.getAttribute("aria-sort")]).toEqual([["b", "a", "c"], null]);
    expect(within(screen.getByRole("columnheader", { name: "Why" })).queryByRole("button")).toBeNull();
  });

  test("leaves the order to a page that sorts, whose address says it", async () => {
    const onSort = vi.fn();
    render(
      <Table
        rows={ROWS}
        columns={COLUMNS}
        keyOf={(row) => row.name}
        sort={{ key: "name", order: "ascend" }}
        onSort={onSort}
      />,
    );
    expect(shown()).toEqual(["b", "a", "c"]);
    await userEvent.click(screen.getByRole("button", { name: "Name" }));
    expect(onSort).toHaveBeenCalledWith({ key: "name", order: "descend" });
  });

  test("says what stands there without rows", () => {
    render(<Table rows={[]} columns={COLUMNS} keyOf={(row) => row.name} empty="None of this kind." />);
    expect(screen.getByRole("cell").textContent).toBe("None of this kind.");
  });

  test("of ten thousand rows draws only those in sight, and says how many there are", async () => {
    vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(600);
    vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(44); // of a row
    const many = Array.from({ length: 10_000 }, (_, index) => ({ name: `row ${index}`, size: index }));
    render(<Table rows={many} columns={COLUMNS} keyOf={(row) => row.name} />);
    expect(screen.getByRole("table").getAttribute("aria-rowcount")).toBe("10001");
    expect(await screen.findByText("row 0")).toBeDefined();
    expect(screen.getAllByRole("row").length).toBeLessThan(60);
  });
});
