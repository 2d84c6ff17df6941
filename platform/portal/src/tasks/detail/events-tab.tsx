import { useQuery } from "@tanstack/react-query";
import { Activity, Cog, Hand, type LucideIcon, RefreshCw, Server } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { Panel } from "@/elements/page";
import { Answer, Empty } from "@/elements/states";
import { Moment } from "@/elements/time";
import { useReason } from "@/words/told";
import { type Task, taskEventsQuery } from "../queries";
import { STATES } from "../states";
import "./detail.css";

const KINDS: Record<Schemas["TaskEvent"]["kind"], LucideIcon> = {
  state: Activity,
  attempt: RefreshCw,
  replica: Server,
  engine: Cog,
  request: Hand,
};

/** Every moment in the life of the task, newest first. */
export default function EventsTab({ task }: { task: Task }) {
  const { t } = useTranslation("tasks");
  const words = useReason();
  const query = useQuery(taskEventsQuery(task.id));
  return (
    <Panel className="flush">
      <Answer query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Activity} title={t("no_events")}>
              {t("no_events_why")}
            </Empty>
          ) : (
            <ol className="events">
              {[...items].reverse().map((event) => {
                const Icon = event.state && event.kind === "state" ? STATES[event.state].icon : KINDS[event.kind];
                const tone = event.state && event.kind === "state" ? STATES[event.state].tone : "plain";
                return (
                  <li key={event.id}>
                    <Icon size={15} aria-hidden className={`tone-${tone}`} />
                    <div>
                      {event.kind === "state" && event.state && <strong>{t(`state.${event.state}`)} </strong>}
                      {event.reason.code !== event.state && <span>{words(event.reason)}</span>}
                      <p className="quiet">
                        {[
                          event.attempt !== null && t("attempt", { number: event.attempt }),
                          event.rank !== null && t("rank_named", { rank: event.rank }),
                          event.actor && t("by", { name: event.actor }),
                        ]
                          .filter(Boolean)
                          .join(" · ")}
                      </p>
                    </div>
                    <Moment at={event.at} />
                  </li>
                );
              })}
            </ol>
          )
        }
      </Answer>
    </Panel>
  );
}
