import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, CircleDashed, CircleX, LoaderCircle, Rocket } from "lucide-react";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { Fact, Facts } from "@/elements/facts";
import { Panel } from "@/elements/page";
import { Answer } from "@/elements/states";
import { Table } from "@/elements/table";
import { Tag } from "@/elements/tag";
import { Duration, Moment } from "@/elements/time";
import { useKind } from "@/features/registry";
import { number } from "@/formats/amounts";
import { useReason } from "@/words/told";
import { type Task, taskEventsQuery } from "../queries";
import { TimeLine } from "./time-line";
import "./detail.css";

export default function OverviewTab({ task }: { task: Task }) {
  const { t } = useTranslation("tasks");
  const events = useQuery(taskEventsQuery(task.id));
  const OfKind = useKind(task.kind)?.Facts;
  return (
    <div className="detail-overview">
      {task.state === "failed" && <Failure task={task} />}
      <Panel title={t("time_line")}>
        <Answer query={events} rows={2}>
          {(data) => <TimeLine spans={data.timeline} />}
        </Answer>
      </Panel>
      {task.progress && (
        <Panel
          title={t("last_scalars")}
          extra={
            <Link to="." search={{ tab: "charts" }}>
              {t("tab_charts")}
            </Link>
          }
        >
          <dl className="scalars">
            {stepFirst(task.progress).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd className="tabular">{number(value)}</dd>
              </div>
            ))}
          </dl>
        </Panel>
      )}
      <Panel title={t("facts")}>
        <Facts>
          {OfKind && (
            <Suspense>
              <OfKind task={task} />
            </Suspense>
          )}
          <Fact name={t("column_virtual_cluster")}>{task.virtual_cluster.name}</Fact>
          <Fact name={t("column_owner")}>{task.owner.nickname || task.owner.name}</Fact>
          <Fact name={t("column_created_at")}>
            <Moment at={task.created_at} />
          </Fact>
        </Facts>
      </Panel>
      <Attempts attempts={task.attempts} />
    </div>
  );
}

/** The scalars with what counts the way (step, epoch) in front. */
function stepFirst(progress: Record<string, number>): [string, number][] {
  const counts = (name: string) => Number(name === "step" || name === "epoch");
  return Object.entries(progress).sort(([one], [other]) => counts(other) - counts(one));
}

/** Why it failed: the reason, the exit code, and the last lines of the replica that failed first. */
function Failure({ task }: { task: Task }) {
  const { t } = useTranslation("tasks");
  const words = useReason();
  return (
    <section className="failure" role="alert">
      <h2>
        <CircleX size={16} aria-hidden />
        {task.reason ? words(task.reason) : t("state.failed")}
        {task.exit_code !== null && task.reason?.code !== "exit_code" && (
          <code>{t("exit_code", { code: task.exit_code })}</code>
        )}
      </h2>
      {task.last_lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre tabIndex={0}>{task.last_lines.join("\n")}</pre>
      )}
      <Link to="." search={{ tab: "log" }}>
        {t("whole_log")}
      </Link>
    </section>
  );
}

const REPLICA = {
  waiting: { tone: "plain", icon: CircleDashed },
  starting: { tone: "info", icon: Rocket },
  running: { tone: "primary", icon: LoaderCircle },
  succeeded: { tone: "success", icon: CircleCheck },
  failed: { tone: "danger", icon: CircleX },
} as const;

function Attempts({ attempts }: { attempts: Schemas["Attempt"][] }) {
  const { t } = useTranslation("tasks");
  const words = useReason();
  if (attempts.length === 0) return null;
  return [...attempts].reverse().map((attempt) => (
    <Panel
      key={attempt.number}
      className="flush"
      title={attempts.length > 1 ? t("attempt", { number: attempt.number }) : t("replicas")}
      extra={attempt.started_at && <Duration since={attempt.started_at} until={attempt.finished_at} />}
    >
      <Table
        keyOf={(replica) => String(replica.rank)}
        size="small"
        rows={attempt.replicas}
        columns={[
          {
            key: "rank",
            title: t("rank"),
            width: 80,
            render: (replica) => <span className="tabular">{replica.rank}</span>,
          },
          {
            key: "state",
            title: t("column_state"),
            render: (replica) => (
              <Tag {...REPLICA[replica.state]} turns={replica.state === "running"}>
                {t(`replica.${replica.state}`)}
              </Tag>
            ),
          },
          { key: "node", title: t("node"), render: (replica) => replica.node ?? "–" },
          {
            key: "devices",
            title: t("column_devices"),
            render: (replica) => (replica.devices && replica.devices.length > 0 ? replica.devices.join(", ") : "–"),
          },
          {
            key: "exit",
            title: t("exit"),
            render: (replica) => <span className="tabular">{replica.exit_code ?? "–"}</span>,
          },
          { key: "why", title: t("why"), render: (replica) => (replica.reason ? words(replica.reason) : "–") },
        ]}
      />
    </Panel>
  ));
}
