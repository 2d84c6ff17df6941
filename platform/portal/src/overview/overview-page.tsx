import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ListTodo, Plus, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { LinkButton } from "@/elements/link-button";
import { Page, Panel } from "@/elements/page";
import { Answer, Empty } from "@/elements/states";
import { Moment } from "@/elements/time";
import type { KnownKind } from "@/features/feature";
import { pathOf, useFeatures, useKinds } from "@/features/registry";
import { deviceName, devicesText } from "@/formats/devices";
import { useMay, useSession } from "@/identity/session";
import { StateWithReason } from "@/tasks/state-tag";
import { STATE_ORDER, STATES } from "@/tasks/states";
import { useNames } from "@/words/names";
import { useReason } from "@/words/told";
import { overviewQuery } from "./query";
import "./overview-page.css";

type Overview = Schemas["Overview"];

/** The first kind of tasks that the person may make. */
function useCreatable() {
  const may = useMay();
  return useKinds().find(
    (kind): kind is KnownKind & { form: object } => kind.form !== undefined && may(kind.form.needs),
  );
}

export function OverviewPage() {
  const { t } = useTranslation(["overview", "tasks", "virtual_clusters"]);
  const { user } = useSession();
  const names = useNames();
  const creatable = useCreatable();
  const kinds = useKinds();
  const query = useQuery(overviewQuery);
  return (
    <Page
      title={t("title")}
      purpose={t("purpose", { name: user.nickname || user.name })}
      actions={
        creatable && (
          <LinkButton to={creatable.form.path} primary icon={<Plus size={15} aria-hidden />}>
            {names(creatable.feature, "new")}
          </LinkButton>
        )
      }
    >
      <Answer query={query} rows={10}>
        {(overview) => (
          <div className="overview">
            <Attention reasons={overview.attention} />
            {kinds.map((kind) => (
              <Counts key={kind.kind} kind={kind} overview={overview} />
            ))}
            <div className="overview-columns">
              <Recent tasks={overview.recent} />
              <div className="overview-side">
                <Devices clusters={overview.virtual_clusters} />
                {overview.nodes && <Machines overview={overview} />}
                <Flow />
              </div>
            </div>
          </div>
        )}
      </Answer>
    </Page>
  );
}

function Attention({ reasons }: { reasons: Schemas["Reason"][] }) {
  const words = useReason();
  return reasons.map((reason) => (
    <p key={reason.code + reason.message} className="attention" role="status">
      <TriangleAlert size={14} aria-hidden />
      {words(reason)}
    </p>
  ));
}

/** How many tasks are in each state, as numbers and as one bar of shares. */
function Counts({ kind, overview }: { kind: KnownKind; overview: Overview }) {
  const names = useNames();
  const { t } = useTranslation(["overview", "tasks", "virtual_clusters"]);
  const counts = overview.tasks.find((each) => each.kind === kind.kind)?.states ?? {};
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const always = ["running", "queued", "finished", "failed"];
  const shown = STATE_ORDER.filter((state) => always.includes(state) || (counts[state] ?? 0) > 0);
  return (
    <Panel
      title={names(kind.feature, "mine")}
      extra={<span className="quiet tabular">{t("tasks_total", { count: total })}</span>}
      className="counts-panel"
    >
      <ul className="counts">
        {shown.map((state) => {
          const { icon: Icon, tone } = STATES[state];
          const count = counts[state] ?? 0;
          return (
            <li key={state}>
              <Link to={kind.path} search={{ state: [state] } as never} className="count">
                <span className={`count-name tone-${tone}`}>
                  <Icon size={14} aria-hidden />
                  {t(`tasks:state.${state}`)}
                </span>
                <strong className="tabular">{count}</strong>
                <small className="tabular">
                  {total > 0 ? t("share", { share: Math.round((100 * count) / total) }) : "\u00a0"}
                </small>
              </Link>
            </li>
          );
        })}
      </ul>
      {total > 0 && (
        <div className="shares" aria-hidden>
          {shown.map((state) =>
            counts[state] ? (
              <span key={state} className={`share-${STATES[state].tone}`} style={{ flexGrow: counts[state] }} />
            ) : null,
          )}
        </div>
      )}
    </Panel>
  );
}

function Recent({ tasks }: { tasks: Schemas["TaskSummary"][] }) {
  const { t } = useTranslation(["overview", "tasks", "virtual_clusters"]);
  const names = useNames();
  const kinds = useKinds();
  const creatable = useCreatable();
  return (
    <Panel title={t("recent")} extra={kinds[0] && <Link to={kinds[0].path}>{t("all")}</Link>} className="flush">
      {tasks.length === 0 ? (
        <Empty
          icon={kinds[0]?.icon ?? ListTodo}
          title={t("recent_empty")}
          action={
            creatable && (
              <LinkButton to={creatable.form.path} search={creatable.form.first as never}>
                {names(creatable.feature, "first")}
              </LinkButton>
            )
          }
        >
          {t("recent_empty_first")}
        </Empty>
      ) : (
        <ul className="recent">
          {tasks.map((task) => (
            <li key={task.id}>
              <div className="recent-name">
                <Link to={pathOf(kinds, task)}>{task.name}</Link>
                <span className="quiet">
                  {task.framework} · {devicesText(task.devices, task.nodes, task.device_type)}
                </span>
              </div>
              <StateWithReason state={task.state} reason={task.reason} />
              <span className="quiet recent-when">
                <Moment at={task.created_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Devices({ clusters }: { clusters: Schemas["VirtualCluster"][] }) {
  const { t } = useTranslation(["overview", "tasks", "virtual_clusters"]);
  return (
    <Panel title={t("devices")}>
      {clusters.length === 0 && <p className="quiet">{t("virtual_clusters:none")}</p>}
      <div className="stack overview-clusters">
        {clusters.map((cluster) => (
          <div key={cluster.id}>
            <p className="overview-cluster">{cluster.name}</p>
            {cluster.devices.map((device) => (
              <Meter key={device.type} device={device} />
            ))}
            {cluster.devices.length === 0 && <p className="quiet">{t("virtual_clusters:no_devices")}</p>}
          </div>
        ))}
      </div>
    </Panel>
  );
}

function Meter({ device }: { device: Schemas["DeviceUse"] }) {
  const { t } = useTranslation(["overview", "tasks", "virtual_clusters"]);
  const share = device.total > 0 ? (100 * device.used) / device.total : 0;
  return (
    <div className="meter">
      <span>{deviceName(device.type)}</span>
      <span className="tabular quiet">{t("virtual_clusters:in_use", { used: device.used, total: device.total })}</span>
      <div className="meter-bar" aria-hidden>
        <span style={{ width: `${share}%` }} />
      </div>
    </div>
  );
}

function Machines({ overview }: { overview: Overview }) {
  const names = useNames();
  const { t } = useTranslation(["overview", "tasks", "virtual_clusters"]);
  const { nodes } = overview;
  if (!nodes) return null;
  return (
    <Panel title={t("cluster")} extra={<Link to="/nodes">{names("nodes", "menu")}</Link>}>
      <dl className="figures">
        <div>
          <dt>{t("nodes_ready")}</dt>
          <dd className="tabular">
            {nodes.ready}
            <small>/{nodes.total}</small>
          </dd>
        </div>
        <div>
          <dt>{t("running_total")}</dt>
          <dd className="tabular">{overview.running_total ?? 0}</dd>
        </div>
      </dl>
    </Panel>
  );
}

/** The recommended way through the platform, with links: each feature names its steps. */
function Flow() {
  const { t } = useTranslation("overview");
  const names = useNames();
  const steps = useFeatures().flatMap(({ name: feature, flow = [] }) => flow.map((step) => ({ ...step, feature })));
  return (
    <Panel title={t("flow")}>
      <ol className="flow">
        {steps.map(({ feature, name, icon: Icon, to, search }) => (
          <li key={feature + name}>
            <span className="flow-icon">
              <Icon size={15} aria-hidden />
            </span>
            <div>
              <Link to={to} search={search as never}>
                {names(feature, `flow_${name}`)}
              </Link>
              <p className="quiet">{names(feature, `flow_${name}_why`)}</p>
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
