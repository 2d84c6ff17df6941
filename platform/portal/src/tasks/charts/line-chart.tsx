import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useAppearance } from "@/appearance/preferences";
import { paletteOf, SERIES } from "@/appearance/theme";
import { useTimeZone } from "@/elements/time";
import { clock } from "@/formats/moments";
import "./charts.css";

export interface ChartLine {
  label: string;
  x: number[];
  y: number[];
}

interface LineChartProps {
  title: string;
  lines: ChartLine[];
  /** Drawn as a dashed line: what must not be crossed. */
  limit?: { label: string; value: number };
  xLabel: string;
  time: boolean;
  format: (value: number) => string;
  /** Charts with the same key share one cursor. */
  sync: string;
  /** What a screen reader says instead of the picture. */
  summary: string;
  height?: number;
}

/** Lines of different lengths on one axis, as uPlot wants them. */
function aligned(lines: ChartLine[], limit: number | undefined): uPlot.AlignedData {
  const x = [...new Set(lines.flatMap((line) => line.x))].sort((one, other) => one - other);
  const columns = lines.map((line) => {
    const known = new Map(line.x.map((at, index) => [at, line.y[index] ?? null]));
    return x.map((at) => known.get(at) ?? null);
  });
  return [x, ...columns, ...(limit === undefined ? [] : [x.map(() => limit)])] as uPlot.AlignedData;
}

export function LineChart({ title, lines, limit, xLabel, time, format, sync, summary, height = 220 }: LineChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(null);
  const { shade } = useAppearance();
  const { i18n } = useTranslation();
  const zone = useTimeZone();
  const shape = JSON.stringify([
    lines.map((line) => line.label),
    limit?.label,
    shade,
    time,
    height,
    zone,
    i18n.language,
  ]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: new values are set below, only another shape makes a new chart
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const palette = paletteOf(shade);
    const axis: uPlot.Axis = {
      stroke: palette["text-3"],
      grid: { stroke: palette.line, width: 1 },
      ticks: { stroke: palette.line, width: 1, size: 4 },
      font: "11px system-ui, sans-serif",
    };
    // Without a cursor the legend shows the newest value.
    const value = (made: uPlot, raw: number | null, line: number) => {
      const shown = raw ?? [...(made.data[line] ?? [])].findLast((each) => each !== null && each !== undefined);
      return shown === null || shown === undefined ? "–" : format(shown);
    };
    const at = (made: uPlot, raw: number | null) => {
      const shown = raw ?? made.data[0].at(-1);
      if (shown === undefined) return "–";
      return time ? clock(shown * 1000, i18n.language) : String(shown);
    };
    const made = new uPlot(
      {
        width: element.clientWidth,
        height,
        padding: [8, 12, 0, 0],
        cursor: { sync: { key: sync }, points: { size: 6 } },
        scales: { x: { time } },
        tzDate: (seconds) => (zone ? uPlot.tzDate(new Date(seconds * 1000), zone) : new Date(seconds * 1000)),
        axes: [
          { ...axis, space: 60, size: time ? 44 : 30 }, // a time has the day below it
          { ...axis, size: 56, values: (_, ticks) => ticks.map(format) },
        ],
        series: [
          { label: xLabel, value: at },
          ...lines.map(
            (line, index): uPlot.Series => ({
              label: line.label,
              stroke: SERIES[shade][index % SERIES[shade].length],
              width: 1.75,
              spanGaps: true,
              points: { show: line.x.length < 3 },
              value,
            }),
          ),
          ...(limit
            ? [
                {
                  label: limit.label,
                  stroke: palette.danger,
                  width: 1.25,
                  dash: [6, 4],
                  points: { show: false },
                  value,
                } satisfies uPlot.Series,
              ]
            : []),
        ],
      },
      aligned(lines, limit?.value),
      element,
    );
    chart.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      chart.current = null;
    };
  }, [shape]);

  useEffect(() => {
    chart.current?.setData(aligned(lines, limit?.value));
  }, [lines, limit?.value]);

  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <div ref={box} role="img" aria-label={summary} />
    </figure>
  );
}
