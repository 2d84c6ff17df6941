import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Button, Tooltip } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { openStream } from "@/api/stream";
import { Page, Panel } from "@/elements/page";
import { Answer, Loading, Stale } from "@/elements/states";
import { Tag } from "@/elements/tag";
import { Duration, Moment, useTimeZone } from "@/elements/time";
import { clock, duration } from "@/formats/moments";
import { type Run, runQuery } from "./query";
import { PHASE_STATES, RUN_STATES, UNTOUCHED } from "./states";
import "./runs.css";

type RunEvent = Schemas["RunEvent"];

/** An installation of ten nodes has some thousands of events; only the newest of those that are asked for are drawn. */
const KEPT_EVENTS = 10_000;
const DRAWN_EVENTS = 500;

/** The journal of a run as it grows; what it says about phases is read again in bursts. */
function useJournal(id: string, running: boolean) {
  const queries = useQueryClient();
  const [events, setEvents] = useState<RunEvent[]>([]);
  const [stale, setStale] = useState<number | null>(null);
  // Whether all that the journal has by now is here.
  const [read, setRead] = useState(false);
  useEffect(() => {
    setEvents([]);
    setRead(false);
    setStale(null);
    let opened = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let fresh: RunEvent[] = [];
    const seen = new Set<string>(); // a stream that was opened again may begin from the start
    function flush() {
      timer = undefined;
      const come = fresh;
      fresh = [];
      setEvents((before) => [...before, ...come].slice(-KEPT_EVENTS));
      if (running) queries.invalidateQueries({ queryKey: ["runs"] });
    }
    const close = openStream(() => `/api/v1/runs/${encodeURIComponent(id)}/events`, {
      onOpen: () => {
        opened = true;
        if (running) setRead(true);
      },
      onStale: (since) => {
        // The journal of a run that is over ends, and so does its stream.
        if (since !== null && !running && opened) {
          close();
          clearTimeout(timer);
          flush();
          setRead(true);
        } else setStale(since);
      },
      events: {
        run: (data, identifier) => {
          if (identifier !== "" && seen.has(identifier)) return;
          seen.add(identifier);
          fresh.push(data as RunEvent);
          timer ??= setTimeout(flush, 500);
        },
      },
    });
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [id, running, queries]);
  return { events, stale, read };
}

/** A cell of the matrix that a person looks into. */
interface Place {
  phase: string;
  node?: string;
}

export function RunPage() {
  const { t } = useTranslation("runs");
  const { id } = useParams({ from: "/shell/runs/$id" });
  const query = useQuery(runQuery(id));
  const run = query.data;
  const { events, stale, read } = useJournal(id, run?.state === "running");
  const [place, setPlace] = useState<Place>();
  return (
    <Page
      title={id}
      crumbs={[{ to: "/runs", label: t("title") }]}
      aside={run && <Tag {...RUN_STATES[run.state]}>{t(`state_${run.state}`)}</Tag>}
      purpose={
        run && (
          <span className="row">
            <code>{run.verb}</code> <Moment at={run.started_at} />{" "}
            <Duration since={run.started_at} until={run.finished_at} />
            <span>{t("changes", { count: run.changed })}</span>
          </span>
        )
      }
    >
      {stale !== null && run && <Stale since={stale} />}
      <Answer query={query}>
        {(data) => (
          <div className="run">
            {data.message && (
              <p className={`run-message ${data.state === "failed" ? "run-failed" : ""}`}>{data.message}</p>
            )}
            <Panel title={t("matrix")} className="flush">
              <Matrix run={data} place={place} choose={setPlace} />
            </Panel>
            {events.length > 0 && <Journal events={events} place={place} leave={() => setPlace(undefined)} />}
            {events.length === 0 && (
              <Panel title={t("journal")}>
                {read ? <p className="quiet">{t("journal_empty")}</p> : <Loading rows={4} />}
              </Panel>
            )}
          </div>
        )}
      </Answer>
    </Page>
  );
}

/** Phases down, nodes across; each cell says how the phase went there. */
function Matrix({ run, place, choose }: { run: Run; place: Place | undefined; choose: (place: Place) => void }) {
  const { t } = useTranslation("runs");
  const nodes = [...new Set(run.phases.flatMap((phase) => Object.keys(phase.nodes ?? {})))].sort();
  const longest = Math.max(...run.phases.map((phase) => phase.seconds ?? 0), 0.001);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="matrix-scroll" tabIndex={0} aria-label={t("matrix")}>
      <table className="matrix">
        <thead>
          <tr>
            <th scope="col">{t("phase")}</th>
            <th scope="col">{t("took")}</th>
            {nodes.map((node) => (
              <th key={node} scope="col" className="matrix-node">
                {node}
              </th>
            ))}
            <th scope="col" className="matrix-number">
              {t("changed")}
            </th>
          </tr>
        </thead>
        <tbody>
          {run.phases.map((phase) => (
            <tr key={phase.name}>
              <th scope="row">
                <Cell state={phase.state} place={{ phase: phase.name }} chosen={place} choose={choose} />
                {phase.name}
              </th>
              <td className="matrix-time tabular">
                <span>{phase.seconds === null || phase.seconds === undefined ? "–" : duration(phase.seconds)}</span>
                <span
                  className="matrix-bar"
                  aria-hidden
                  style={{ width: `${(100 * (phase.seconds ?? 0)) / longest}%` }}
                />
              </td>
              {nodes.map((node) => (
                <td key={node} className="matrix-node">
                  <Cell
                    state={phase.nodes?.[node]}
                    place={{ phase: phase.name, node }}
                    chosen={place}
                    choose={choose}
                  />
                </td>
              ))}
              <td className="matrix-number tabular">{phase.changed}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({
  state,
  place,
  chosen,
  choose,
}: {
  state: string | undefined;
  place: Place;
  chosen: Place | undefined;
  choose: (place: Place) => void;
}) {
  const { t } = useTranslation("runs");
  const known = state !== undefined && state in PHASE_STATES ? (state as keyof typeof PHASE_STATES) : undefined;
  const { icon: Icon, tone } = known ? PHASE_STATES[known] : UNTOUCHED;
  const words = `${named(place)}: ${known ? t(`phase_${known}`) : (state ?? t("phase_untouched"))}`;
  if (!known) {
    return (
      <span className={`matrix-cell tone-${tone}`} role="img" aria-label={words}>
        <Icon size={15} aria-hidden />
      </span>
    );
  }
  return (
    <Tooltip title={words}>
      <button
        type="button"
        className={`matrix-cell tone-${tone}`}
        aria-label={words}
        aria-pressed={chosen?.phase === place.phase && chosen.node === place.node}
        onClick={() => choose(place)}
      >
        <Icon size={15} aria-hidden className={known === "running" ? "turning" : undefined} />
      </button>
    </Tooltip>
  );
}

function named(place: Place): string {
  return [place.phase, place.node].filter(Boolean).join(" · ");
}

/** What happened, newest first: in all of the run, or in the chosen cell of the matrix. */
function Journal({ events, place, leave }: { events: RunEvent[]; place: Place | undefined; leave: () => void }) {
  const { t, i18n } = useTranslation("runs");
  useTimeZone();
  const shown = events
    .filter(
      ({ data }) =>
        !place || (data.phase === place.phase && (!place.node || data.node === undefined || data.node === place.node)),
    )
    .slice(-DRAWN_EVENTS);
  return (
    <Panel
      title={place ? t("journal_of", { place: named(place) }) : t("journal")}
      extra={
        place && (
          <Button size="small" onClick={leave}>
            {t("journal_all")}
          </Button>
        )
      }
      className="flush"
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol className="journal" tabIndex={0}>
        {[...shown].reverse().map((event, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: events have no identity but their place
          <li key={shown.length - index}>
            <span className="tabular quiet">{clock(event.at, i18n.language)}</span>
            <strong>{event.event}</strong>
            <span className="mono">{told(event.data)}</span>
          </li>
        ))}
      </ol>
      {shown.length === 0 && <p className="journal-none">{t("journal_none")}</p>}
    </Panel>
  );
}

/** The facts of an event on one line. */
function told(data: Record<string, unknown>): string {
  return Object.entries(data)
    .filter(([name, value]) => value !== null && value !== "" && name !== "event" && name !== "at")
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("  ");
}
