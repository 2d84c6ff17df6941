import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { useNow } from "@/elements/time";
import { clock, duration, secondsBetween } from "@/formats/moments";
import { ENDED, STATES } from "../states";
import "./detail.css";

/** Where the time went: one bar of all states, and each with its duration. */
export function TimeLine({ spans }: { spans: Schemas["StateSpan"][] }) {
  const { t, i18n } = useTranslation("tasks");
  const now = useNow();
  const lasting = spans.map((span) => ({
    ...span,
    seconds: ENDED.includes(span.state) ? 0 : secondsBetween(span.since, span.until, now),
  }));
  const total = lasting.reduce((sum, span) => sum + span.seconds, 0);
  return (
    <div className="time-line">
      <div className="time-bar" aria-hidden>
        {lasting.map((span) =>
          span.seconds > 0 ? (
            <span
              key={span.since + span.state}
              className={`bar-${STATES[span.state].tone}`}
              style={{ flexGrow: Math.max(span.seconds / total, 0.01) }}
            />
          ) : null,
        )}
      </div>
      <ol>
        {lasting.map((span) => {
          const { icon: Icon, tone } = STATES[span.state];
          return (
            <li key={span.since + span.state}>
              <span className={`time-name tone-${tone}`}>
                <Icon size={14} aria-hidden />
                {t(`state.${span.state}`)}
              </span>
              <span className="tabular time-took">
                {ENDED.includes(span.state) ? "" : duration(span.until ? span.seconds : Math.floor(span.seconds))}
              </span>
              <span className="tabular quiet">{clock(span.since, i18n.language)}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
