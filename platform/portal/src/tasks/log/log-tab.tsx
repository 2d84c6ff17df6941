import { useNavigate, useSearch } from "@tanstack/react-router";
import { Button, Select, Tooltip } from "antd";
import Input from "antd/es/input/Input";
import {
  ArrowDownToLine,
  ChevronDown,
  ChevronUp,
  CircleAlert,
  Download,
  Radio,
  ScrollText,
  Search,
  WrapText,
} from "lucide-react";
import { useDeferredValue, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty, Loading, Stale } from "@/elements/states";
import { taskSearchOf } from "../detail/search";
import type { Task } from "../queries";
import { ENDED, WAITING } from "../states";
import { Matches, MISTAKES, patternOf } from "./buffer";
import { LogProblem } from "./log-problem";
import { LogView, type LogViewHandle } from "./log-view";
import { useLog } from "./use-log";
import "./log.css";

const WRAP = "atoll.log.wrap";

export default function LogTab({ task }: { task: Task }) {
  const { t } = useTranslation("tasks");
  const { rank = 0 } = taskSearchOf(useSearch({ strict: false }));
  const navigate = useNavigate();
  const [attempt, setAttempt] = useState<number>();
  const newest = task.attempts.at(-1)?.number;
  const log = useLog(task.id, rank, attempt ?? newest);
  const [following, setFollowing] = useState(true);
  const [wrap, setWrap] = useState(() => localStorage.getItem(WRAP) === "yes");
  const [words, setWords] = useState("");
  const [current, setCurrent] = useState<number>();
  const view = useRef<LogViewHandle>(null);

  const searched = useDeferredValue(words);
  const pattern = useMemo(() => (searched ? patternOf(searched) : undefined), [searched]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another log is searched from its start
  const hits = useMemo(() => (pattern ? new Matches(pattern) : undefined), [pattern, log.buffer]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another log is searched from its start
  const mistakes = useMemo(() => new Matches(MISTAKES), [log.buffer]);
  hits?.scan(log.buffer);
  mistakes.scan(log.buffer);

  function jump(line: number | undefined) {
    if (line === undefined) return;
    setFollowing(false);
    setCurrent(line);
    view.current?.show(line);
  }

  const count = log.buffer.lines.length;
  // The log of a task that is over comes to its end; before that, nobody knows whether it is empty.
  const coming = !log.ended && (!log.opened || ENDED.includes(task.state));
  const query = new URLSearchParams({ rank: String(rank), ...(attempt && { attempt: String(attempt) }) });
  return (
    <div className="log">
      {log.stale !== null && count > 0 && <Stale since={log.stale} />}
      <div className="log-bar" role="toolbar" aria-label={t("log.tools")}>
        {task.nodes > 1 && (
          <Select
            size="small"
            aria-label={t("rank")}
            value={rank}
            onChange={(chosen) =>
              navigate({
                to: ".",
                search: { tab: "log", rank: chosen } as never,
                replace: true,
              })
            }
            options={Array.from({ length: task.nodes }, (_, index) => ({
              value: index,
              label: t("rank_named", { rank: index }),
            }))}
          />
        )}
        {task.attempts.length > 1 && (
          <Select
            size="small"
            aria-label={t("log.attempt")}
            value={attempt ?? newest}
            onChange={setAttempt}
            options={task.attempts.map((each) => ({
              value: each.number,
              label: t("attempt", { number: each.number }),
            }))}
          />
        )}
        <Input
          size="small"
          className="log-search"
          prefix={<Search size={13} aria-hidden />}
          placeholder={t("log.search")}
          aria-label={t("log.search")}
          allowClear
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onPressEnter={(event) => jump(event.shiftKey ? hits?.before(current ?? count) : hits?.after(current ?? -1))}
        />
        {hits && (
          <span className="row log-hits">
            <span className="tabular" role="status">
              {t("log.hits", { at: hits.at.indexOf(current ?? -1) + 1, count: hits.at.length })}
            </span>
            <Button
              size="small"
              type="text"
              aria-label={t("log.previous")}
              icon={<ChevronUp size={14} aria-hidden />}
              onClick={() => jump(hits.before(current ?? count))}
            />
            <Button
              size="small"
              type="text"
              aria-label={t("log.next")}
              icon={<ChevronDown size={14} aria-hidden />}
              onClick={() => jump(hits.after(current ?? -1))}
            />
          </span>
        )}
        {mistakes.at.length > 0 && (
          <Button
            size="small"
            type="text"
            danger
            icon={<CircleAlert size={14} aria-hidden />}
            onClick={() => jump(mistakes.after(current ?? -1))}
          >
            {t("log.mistakes", { count: mistakes.at.length })}
          </Button>
        )}
        <span className="log-space" />
        <span className={`log-state ${log.ended ? "" : "log-live"}`} role="status">
          {!log.ended && <Radio size={13} aria-hidden />}
          {log.ended ? t("log.ended", { count }) : t("log.live", { count })}
        </span>
        <Tooltip title={t("log.wrap")}>
          <Button
            size="small"
            type={wrap ? "default" : "text"}
            aria-label={t("log.wrap")}
            aria-pressed={wrap}
            icon={<WrapText size={14} aria-hidden />}
            onClick={() => {
              localStorage.setItem(WRAP, wrap ? "no" : "yes");
              setWrap(!wrap);
            }}
          />
        </Tooltip>
        <Tooltip title={t("log.download")}>
          <Button
            size="small"
            type="text"
            href={`/api/v1/tasks/${encodeURIComponent(task.id)}/log/content?${query}`}
            download
            aria-label={t("log.download")}
            icon={<Download size={14} aria-hidden />}
          />
        </Tooltip>
      </div>
      {count === 0 && log.stale !== null && <LogProblem task={task.id} rank={rank} attempt={attempt ?? newest} />}
      {count === 0 &&
        log.stale === null &&
        (coming ? (
          <Loading />
        ) : (
          <Empty icon={ScrollText} title={log.ended ? t("log.empty") : t("log.empty_yet")}>
            {!log.ended && t(WAITING.includes(task.state) ? "log.empty_waiting" : "log.empty_running")}
          </Empty>
        ))}
      {count > 0 && (
        <div className="log-frame">
          <LogView
            handle={view}
            buffer={log.buffer}
            version={log.version}
            wrap={wrap}
            following={following}
            onFollow={setFollowing}
            pattern={pattern}
            current={current}
            label={t("log.of", { name: task.name })}
          />
          {!following && (
            <Button
              className="log-end"
              size="small"
              icon={<ArrowDownToLine size={14} aria-hidden />}
              onClick={() => setFollowing(true)}
            >
              {log.ended ? t("log.to_end") : t("log.follow")}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
