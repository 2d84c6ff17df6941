import { Tooltip } from "antd";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { ago, duration, exact, secondsBetween } from "@/formats/moments";
import { onTimeZone, timeZone } from "@/formats/zone";

// One clock for the page: a hundred rows do not need a hundred timers.
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** The time zone of times, for what has to be drawn anew when it is another. */
export function useTimeZone(): string | undefined {
  return useSyncExternalStore(onTimeZone, timeZone);
}

/** A moment, relative; the exact one on hover and for screen readers. */
export function Moment({ at }: { at: string }) {
  const { i18n } = useTranslation();
  useTimeZone();
  return (
    <Tooltip title={exact(at, i18n.language)}>
      <time dateTime={at} className="nowrap">
        {ago(at, useNow(), i18n.language)}
      </time>
    </Tooltip>
  );
}

/** How long something took, or takes so far. */
export function Duration({ since, until }: { since: string; until?: string | null }) {
  const current = useNow();
  const seconds = secondsBetween(since, until, current);
  return <span className="tabular nowrap">{duration(until ? seconds : Math.floor(seconds))}</span>;
}
