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

export function secondsBetween(since: string, until: string | null | undefined, now: number): number {
  return Math.max(0, ((until ? new Date(until).getTime() : now) - new Date(since).getTime()) / 1000);
}
