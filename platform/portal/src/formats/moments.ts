/** Moments and durations as people read them, in the time zone that they have chosen. */
import { timeZone } from "./zone";

const SPANS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** `3 minutes ago`, in the reader's language. */
export function ago(at: string, now: number, language: string): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const words = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
  for (const [unit, size] of SPANS) {
    if (Math.abs(seconds) >= size) return words.format(Math.round(seconds / size), unit);
  }
  return words.format(Math.abs(seconds) < 10 ? 0 : seconds, "second");
}

/** The exact moment, with seconds and zone. */
export function exact(at: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "long", timeZone: timeZone() }).format(
    new Date(at),
  );
}

/** The moment with seconds, for a column of many: who compares them knows the zone. */
export function stamp(at: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium", timeZone: timeZone() }).format(
    new Date(at),
  );
}

/** The day alone, in full. */
export function day(at: number, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: timeZone() }).format(at);
}

export function clock(at: string | number, language: string): string {
  return new Intl.DateTimeFormat(language, { timeStyle: "medium", timeZone: timeZone() }).format(new Date(at));
}

/** `93.4` → `1m 33s`; the two largest parts are enough for an eye, and the letters are the same in every language. */
export function duration(seconds: number): string {
  if (seconds < 0.0005) return "0s";
  if (seconds < 1) return `${Math.round(seconds * 1000)}ms`;
  if (seconds < 10) return `${Number(seconds.toFixed(1))}s`;
  const whole = Math.round(seconds);
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor((whole % 86_400) / 3_600), "h"],
    [Math.floor((whole % 3_600) / 60), "m"],
    [whole % 60, "s"],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}${unit}`)
    .join(" ");
}

/** What clocks show there at a moment (ms), as ms of a clock that shows UTC. */
function shown(at: number): number {
  // The one language whose usual form is ISO 8601.
  const words = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium", timeZone: timeZone() });
  return Date.parse(`${words.format(at).replace(" ", "T")}Z`);
}

/** A moment as `<input type="datetime-local">` has it: without a zone, to the minute; empty for none. */
export function asLocal(at: string | undefined): string {
  return at === undefined ? "" : new Date(shown(Date.parse(at))).toISOString().slice(0, 16);
}

/** What was typed there as a moment; nothing where it is none. Of an hour that clocks leave out it is the one before. */
export function fromLocal(typed: string): string | undefined {
  const wanted = Date.parse(`${typed}Z`);
  if (Number.isNaN(wanted)) return undefined;
  const near = wanted - (shown(wanted) - wanted);
  // Where clocks are put forward or back between the two, the offset is another one.
  return new Date(wanted - (shown(near) - near)).toISOString();
}

export function secondsBetween(since: string, until: string | null | undefined, now: number): number {
  return Math.max(0, ((until ? new Date(until).getTime() : now) - new Date(since).getTime()) / 1000);
}
