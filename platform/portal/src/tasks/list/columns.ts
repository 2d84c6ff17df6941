import { useState } from "react";

/** Columns of the list that a person may hide; name and state always stay. */
export const HIDEABLE = [
  "owner",
  "virtual_cluster",
  "framework",
  "devices",
  "progress",
  "created_at",
  "duration",
] as const;
export type Column = (typeof HIDEABLE)[number];

/** Each kind has its own choice. */
const storedAs = (kind: string) => `atoll.${kind}.hidden_columns`;

/** What most people do not need: with one virtual cluster its name says nothing. */
const HIDDEN_AT_FIRST: Column[] = ["virtual_cluster"];

function stored(kind: string): Column[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(storedAs(kind)) ?? JSON.stringify(HIDDEN_AT_FIRST));
    return Array.isArray(names) ? HIDEABLE.filter((column) => names.includes(column)) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return []; // not written by this portal
    throw error;
  }
}

export function useHidden(kind: string): [Column[], (hidden: Column[]) => void] {
  const [hidden, setHidden] = useState(() => stored(kind));
  return [
    hidden,
    (columns) => {
      localStorage.setItem(storedAs(kind), JSON.stringify(columns));
      setHidden(columns);
    },
  ];
}
