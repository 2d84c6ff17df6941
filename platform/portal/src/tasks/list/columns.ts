import { useState } from "react";

/** Columns of the list that a person may hide; name and state always stay. */
export const HIDEABLE = [
  "owner",
  "virtual_cluster",
  "engine",
  "devices",
  "progress",
  "created_at",
  "duration",
] as const;
export type Column = (typeof HIDEABLE)[number];

const STORED = "atoll.training.hidden_columns";

/** What most people do not need: with one virtual cluster its name says nothing. */
const HIDDEN_AT_FIRST: Column[] = ["virtual_cluster"];

function stored(): Column[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(STORED) ?? JSON.stringify(HIDDEN_AT_FIRST));
    return Array.isArray(names) ? HIDEABLE.filter((column) => names.includes(column)) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return []; // not written by this portal
    throw error;
  }
}

export function useHidden(): [Column[], (hidden: Column[]) => void] {
  const [hidden, setHidden] = useState(stored);
  return [
    hidden,
    (columns) => {
      localStorage.setItem(STORED, JSON.stringify(columns));
      setHidden(columns);
    },
  ];
}
