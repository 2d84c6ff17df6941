import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Segmented } from "antd";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { Panel } from "@/elements/page";
import { Answer } from "@/elements/states";
import type { KnownKind } from "@/features/feature";
import { entriesOf, pageAt } from "@/features/menu";
import type { Place } from "@/features/places";
import { useFeatures, useKinds } from "@/features/registry";
import { useMenu } from "@/identity/menu";
import { useMay } from "@/identity/session";
import { STATE_ORDER, STATES } from "@/tasks/states";
import { useActiveCluster } from "@/virtual-clusters/active";
import { useNames } from "@/words/names";
import { countsQuery } from "./query";
import { type Scope, scopeOf } from "./search";
import { percents } from "./shares";
import "./charts.css";

/** What the manual counts. A kind of tasks belongs to the chart of the place where its list stands: none, no chart. */
export const CHARTS = [
  { name: "code", place: "code_development" },
  { name: "train", place: "model_training/training_list" },
  { name: "evaluate", place: "model_management/evaluation_list" },
  { name: "infer", place: "inference_service/central_inference" },
] as const satisfies readonly { name: string; place: Place }[];

/** These are shown though there be none. */
const ALWAYS: readonly string[] = ["queued", "running", "finished", "failed"];

/** How many tasks are in each state, as numbers and shares: own ones or, for who may see them, everybody's. */
export function Charts() {
  const { t } = useTranslation("overview");
  const names = useNames();
  const scope = scopeOf(useSearch({ strict: false }));
  const query = useQuery(countsQuery(scope));
  const pages = entriesOf(useFeatures());
  const mine = useMenu();
  const kinds = useKinds();
  const kindAt = (place: Place) => kinds.find(({ path }) => path === pageAt(pages, place)?.to);
  const charts = CHARTS.flatMap((chart) => {
    const kind = kindAt(chart.place);
    return kind === undefined ? [] : [{ ...chart, kind }];
  });
  const others = kinds.filter((kind) => !charts.some((chart) => chart.kind === kind));
  return (
    <Panel title={t("charts")} extra={<ScopeChoice scope={scope} />}>
      <Answer query={query} rows={6}>
        {(counts) => (
          <div className="tallies">
            {charts.map(({ name, place, kind }) => (
              <Chart
                key={name}
                title={t(`chart_${name}`)}
                counts={counts}
                kind={kind}
                leads={pageAt(mine, place) !== undefined}
                scope={scope}
              />
            ))}
            {others.map((kind) => (
              <Chart
                key={kind.kind}
                title={names(kind.feature, "mine")}
                counts={counts}
                kind={kind}
                leads={mine.some(({ to }) => to === kind.path)}
                scope={scope}
              />
            ))}
          </div>
        )}
      </Answer>
    </Panel>
  );
}

/** Whose, and where: own or everybody's, in all virtual clusters or in the one in use. */
function ScopeChoice({ scope }: { scope: Scope }) {
  const { t } = useTranslation("overview");
  const may = useMay();
  const navigate = useNavigate();
  const { active, mine } = useActiveCluster();
  const here = scope.virtual_cluster ?? (mine.length > 1 || may("tasks:read_all") ? active?.name : undefined);
  const change = (part: Partial<Scope>) =>
    navigate({ to: "/overview", search: { ...scope, ...part } as never, replace: true });
  return (
    <div className="tally-scope">
      {may("tasks:read_all") && (
        <Segmented
          aria-label={t("whose")}
          value={scope.owner ?? "me"}
          onChange={(owner) => change({ owner: owner === "all" ? "all" : undefined })}
          options={[
            { value: "me", label: t("whose_mine") },
            { value: "all", label: t("whose_all") },
          ]}
        />
      )}
      {here && (
        <Segmented
          aria-label={t("where")}
          value={scope.virtual_cluster ?? ""}
          onChange={(name) => change({ virtual_cluster: name || undefined })}
          options={[
            { value: "", label: t("where_all") },
            { value: here, label: here },
          ]}
        />
      )}
    </div>
  );
}

interface ChartProps {
  title: string;
  counts: Schemas["KindCounts"][];
  kind: KnownKind;
  /** Whether the person may open the list of these tasks. */
  leads: boolean;
  scope: Scope;
}

function Chart({ title, counts, kind, leads, scope }: ChartProps) {
  const { t } = useTranslation(["overview", "tasks"]);
  const of = counts.find((each) => each.kind === kind.kind)?.states ?? {};
  const shown = STATE_ORDER.filter((state) => ALWAYS.includes(state) || (of[state] ?? 0) > 0);
  const numbers = shown.map((state) => of[state] ?? 0);
  const total = numbers.reduce((sum, count) => sum + count, 0);
  const shares = percents(numbers);
  return (
    <section className="tally" aria-label={title}>
      <header>
        <h3>{title}</h3>
        <span className="quiet tabular">{t("tasks_total", { count: total })}</span>
      </header>
      <div className="shares" aria-hidden>
        {shown.map((state, index) =>
          numbers[index] ? (
            <span key={state} className={`share-${STATES[state].tone}`} style={{ flexGrow: numbers[index] }} />
          ) : null,
        )}
      </div>
      <ul>
        {shown.map((state, index) => {
          const { icon: Icon, tone } = STATES[state];
          const row = (
            <>
              <span className={`tally-state tone-${tone}`}>
                <Icon size={14} aria-hidden />
                {t(`tasks:state.${state}`)}
              </span>
              <strong className="tabular">{numbers[index]}</strong>
              <span className="quiet tabular">
                {numbers[index] && !shares[index] ? t("share_less") : t("share", { share: shares[index] })}
              </span>
            </>
          );
          return (
            <li key={state}>
              {leads ? (
                <Link to={kind.path} search={{ ...scope, state: [state] } as never} className="tally-row">
                  {row}
                </Link>
              ) : (
                <span className="tally-row">{row}</span>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
