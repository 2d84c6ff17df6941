import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronDown, ChevronsUpDown, ChevronUp } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import "./table.css";

export type Order = "ascend" | "descend";

export interface Column<T> {
  key: string;
  title: ReactNode;
  render: (row: T) => ReactNode;
  width?: number;
  align?: "right";
  /** Stays in sight at the end when the table is wider than its place; not on a phone. */
  fixed?: boolean;
  /** Makes the heading a button that sorts: by this here, or, where the page sorts, by the key. */
  compare?: ((one: T, other: T) => number) | "by page";
}

export interface Sort {
  key: string;
  order: Order;
}

interface TableProps<T> {
  rows: readonly T[];
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
  size?: "small";
  /** What stands there without rows. */
  empty?: ReactNode;
  /** Given where the page sorts, because the order stands in its address. */
  sort?: Sort | null;
  onSort?: (sort: Sort | undefined) => void;
}

/** From here on only the rows in sight are drawn. */
const VIRTUAL_FROM = 150;
const ROW_PX = 44;
const OVERSCAN = 12;

/** Rows with headings that sort. Ten thousand rows scroll, as only those in sight are drawn. */
export function Table<T>(props: TableProps<T>) {
  const { rows, columns, sort, onSort } = props;
  const [own, setOwn] = useState<Sort>();
  const by = onSort ? sort : own;
  const compare = columns.find((column) => column.key === own?.key)?.compare;
  const direction = own?.order === "descend" ? -1 : 1;
  const shown =
    !onSort && typeof compare === "function" ? rows.toSorted((one, other) => direction * compare(one, other)) : rows;
  const parts = { ...props, rows: shown, by: by ?? undefined, choose: onSort ?? setOwn };
  return rows.length > VIRTUAL_FROM ? <Long {...parts} /> : <Short {...parts} />;
}

type Parts<T> = TableProps<T> & { by: Sort | undefined; choose: (sort: Sort | undefined) => void };

function Short<T>(props: Parts<T>) {
  const { rows, columns, keyOf, size, empty } = props;
  return (
    <div className="table-scroll">
      <table className={size === "small" ? "table table-small" : "table"}>
        <Head {...props} />
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <Cells columns={columns} row={row} />
            </tr>
          ))}
          {rows.length === 0 && empty && (
            <tr>
              <td colSpan={columns.length} className="table-empty">
                {empty}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

function Long<T>(props: Parts<T>) {
  const { rows, columns, keyOf } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => keyOf(rows[index] as T),
    overscan: OVERSCAN,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div
      ref={scroller}
      className="table-scroll table-long"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <table
        className="table"
        aria-rowcount={rows.length + 1}
        style={{ minWidth: columns.reduce((sum, column) => sum + (column.width ?? 120), 0) }}
      >
        <Head {...props} />
        <tbody>
          {before > 0 && <tr aria-hidden style={{ height: before }} />}
          {items.map((item) => (
            <tr key={item.key} data-index={item.index} aria-rowindex={item.index + 2} ref={virtual.measureElement}>
              <Cells columns={columns} row={rows[item.index] as T} />
            </tr>
          ))}
          {after > 0 && <tr aria-hidden style={{ height: after }} />}
        </tbody>
      </table>
    </div>
  );
}

function looks<T>({ align, fixed }: Column<T>): string | undefined {
  return [align === "right" && "table-right", fixed && "table-fixed"].filter(Boolean).join(" ") || undefined;
}

function Cells<T>({ columns, row }: { columns: readonly Column<T>[]; row: T }) {
  return columns.map((column) => (
    <td key={column.key} className={looks(column)}>
      {column.render(row)}
    </td>
  ));
}

function Head<T>({ columns, by, choose }: Parts<T>) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const order = by?.key === column.key ? by.order : undefined;
          const Icon = order === "ascend" ? ChevronUp : order === "descend" ? ChevronDown : ChevronsUpDown;
          return (
            <th
              key={column.key}
              scope="col"
              className={looks(column)}
              style={{ width: column.width }}
              aria-sort={order && (order === "ascend" ? "ascending" : "descending")}
            >
              {column.compare ? (
                <button type="button" className="table-sort" onClick={() => choose(next(column.key, order))}>
                  {column.title}
                  <Icon size={14} aria-hidden />
                </button>
              ) : (
                column.title
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** Up, then down, then as it came. */
function next(key: string, order: Order | undefined): Sort | undefined {
  if (order === undefined) return { key, order: "ascend" };
  return order === "ascend" ? { key, order: "descend" } : undefined;
}
