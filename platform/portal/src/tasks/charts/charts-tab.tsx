import { useQuery } from "@tanstack/react-query";
import { ChartLine as ChartIcon, Gauge } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { Answer, Empty } from "@/elements/states";
import { bytes, number } from "@/formats/amounts";
import { useKnown, useReason } from "@/words/told";
import { type Task, taskMetricsQuery } from "../queries";
import { ENDED } from "../states";
import { type ChartLine, LineChart } from "./line-chart";

type Metrics = Schemas["TaskMetrics"];

const FORMATS: Record<Schemas["UsageSeries"]["unit"], (value: number) => string> = {
  cores: number,
  bytes,
  percent: (value) => `${number(value)} %`,
};

/** Scalars of the program and use of resources, each group with one cursor. */
export default function ChartsTab({ task }: { task: Task }) {
  const query = useQuery(taskMetricsQuery(task.id, !ENDED.includes(task.state)));
  return (
    <Answer query={query}>
      {(metrics) => (
        <>
          <Scalars metrics={metrics} />
          <Usage metrics={metrics} />
        </>
      )}
    </Answer>
  );
}

function Scalars({ metrics }: { metrics: Metrics }) {
  const { t } = useTranslation("tasks");
  const charts = useMemo(
    () =>
      metrics.scalars.map((scalar) => ({
        name: scalar.name,
        lines: [{ label: scalar.name, x: scalar.steps, y: scalar.values }],
      })),
    [metrics.scalars],
  );
  return (
    <>
      <h2 className="charts-title">{t("charts.scalars")}</h2>
      {metrics.truncated && (
        <p className="charts-cut" role="status">
          {t("charts.cut_off")}
        </p>
      )}
      {charts.length === 0 ? (
        <Empty icon={ChartIcon} title={t("charts.no_scalars")}>
          {t("charts.no_scalars_how")}
        </Empty>
      ) : (
        <div className="charts">
          {charts.map(({ name, lines }) => (
            <LineChart
              key={name}
              title={name}
              lines={lines}
              xLabel={t("charts.step")}
              time={false}
              format={number}
              sync="scalars"
              summary={t("charts.summary", {
                name,
                count: lines[0]?.y.length ?? 0,
                last: number(lines[0]?.y.at(-1) ?? 0),
              })}
            />
          ))}
        </div>
      )}
    </>
  );
}

/** The most that any replica ever used. */
function highest(lines: ChartLine[]): number {
  return lines.reduce((most, line) => line.y.reduce((one, other) => Math.max(one, other), most), 0);
}

function Usage({ metrics }: { metrics: Metrics }) {
  const { t } = useTranslation("tasks");
  const known = useKnown("tasks");
  const words = useReason();
  const charts = useMemo(() => {
    const byName = Map.groupBy(metrics.usage, (series) => series.name);
    return [...byName].map(([name, series]) => ({
      name,
      unit: series[0]?.unit ?? "cores",
      limit: series.find((each) => each.limit !== null)?.limit ?? undefined,
      series,
    }));
  }, [metrics.usage]);
  return (
    <>
      <h2 className="charts-title">{t("charts.usage")}</h2>
      {charts.length === 0 ? (
        <Empty icon={Gauge} title={t("charts.no_usage")}>
          {metrics.usage_unavailable ? words(metrics.usage_unavailable) : t("charts.no_usage_why")}
        </Empty>
      ) : (
        <div className="charts">
          {charts.map(({ name, unit, limit, series }) => {
            const title = known(`charts.name_${name}`) ?? name;
            const lines: ChartLine[] = series.map((each) => ({
              label: [t("rank_named", { rank: each.rank }), each.device && t("device_named", { device: each.device })]
                .filter(Boolean)
                .join(" · "),
              x: each.times,
              y: each.values,
            }));
            const last = lines[0]?.y.at(-1);
            return (
              <LineChart
                key={name}
                title={title}
                lines={lines}
                limit={limit === undefined ? undefined : { label: t("charts.limit"), value: limit }}
                xLabel={t("charts.time")}
                time
                format={FORMATS[unit]}
                sync="usage"
                summary={t(limit === undefined ? "charts.summary" : "charts.summary_limited", {
                  name: title,
                  count: lines[0]?.y.length ?? 0,
                  last: last === undefined ? "–" : FORMATS[unit](last),
                  highest: FORMATS[unit](highest(lines)),
                  limit: limit === undefined ? "–" : FORMATS[unit](limit),
                })}
              />
            );
          })}
        </div>
      )}
    </>
  );
}
