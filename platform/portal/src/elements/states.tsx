import { Button } from "antd";
import { CircleAlert, type LucideIcon, RotateCw, ShieldX, Unplug } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { type ApiProblem, problemOf } from "@/api/problem";
import { clock } from "@/formats/moments";
import { useProblemWords } from "@/words/told";
import { ProblemLines } from "./failures";
import { useTimeZone } from "./time";
import "./states.css";

/** Grey bars in the shape of what comes; they appear only after 150 ms, so that a fast answer does not flash. */
export function Loading({ rows = 6 }: { rows?: number }) {
  const { t } = useTranslation();
  return (
    <div className="loading" role="status" aria-label={t("states.loading")}>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars have no identity
        <span key={index} className="loading-bar" style={{ width: `${[92, 78, 85, 64, 88, 71][index % 6]}%` }} />
      ))}
    </div>
  );
}

function Notice({
  icon: Icon,
  tone,
  title,
  children,
  action,
}: {
  icon: LucideIcon;
  tone: "plain" | "danger" | "warning";
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={`notice notice-${tone}`}>
      <span className="notice-icon">
        <Icon size={20} aria-hidden />
      </span>
      <h3>{title}</h3>
      {children && <div className="notice-text">{children}</div>}
      {action && <div className="notice-action">{action}</div>}
    </div>
  );
}

/** Nothing there yet: what this is, and the first step. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Notice icon={icon} tone="plain" title={title} action={action}>
      {children}
    </Notice>
  );
}

/** It did not work: the code, what happened, what to do, and another try. */
export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  const { t } = useTranslation();
  const problem = problemOf(error);
  const words = useProblemWords(problem);
  if (problem.status === 403) return <Denied problem={problem} />;
  return (
    <div role="alert">
      <Notice
        icon={problem.code === "unreachable" ? Unplug : CircleAlert}
        tone="danger"
        title={words.title}
        action={
          retry && (
            <Button icon={<RotateCw size={14} aria-hidden />} onClick={retry}>
              {t("states.retry")}
            </Button>
          )
        }
      >
        <ProblemLines problem={problem} />
      </Notice>
    </div>
  );
}

/** Not for this person: says who can grant it. */
export function Denied({ problem }: { problem?: ApiProblem }) {
  const { t } = useTranslation();
  return (
    <Notice icon={ShieldX} tone="warning" title={t("states.denied")}>
      <p>{t("states.denied_who")}</p>
      {problem && (
        <p className="notice-code">
          <code>{problem.code}</code>
        </p>
      )}
    </Notice>
  );
}

/** What is needed of a query, be it one of a single answer or one of pages. */
interface Asked<T> {
  data: T | undefined;
  isError: boolean;
  error: unknown;
  dataUpdatedAt: number;
  refetch: () => unknown;
}

/** The answer of a query, or the state that stands in for it. Old data stay while a new try fails. */
export function Answer<T>({
  query,
  rows,
  children,
}: {
  query: Asked<T>;
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isError && <Stale since={query.dataUpdatedAt} retry={() => query.refetch()} error={query.error} />}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) return <Failed error={query.error} retry={() => query.refetch()} />;
  return <Loading rows={rows} />;
}

/** What is shown is old: since when, and why. */
export function Stale({ since, error, retry }: { since: number; error?: unknown; retry?: () => void }) {
  const { t, i18n } = useTranslation();
  const words = useProblemWords(error === undefined ? undefined : problemOf(error));
  useTimeZone();
  const at = clock(since, i18n.language);
  return (
    <div className="stale" role="status">
      <Unplug size={14} aria-hidden />
      <span>
        {t("states.stale", { at })} {words.title}
      </span>
      {retry && (
        <Button type="link" size="small" onClick={retry}>
          {t("states.retry")}
        </Button>
      )}
    </div>
  );
}
