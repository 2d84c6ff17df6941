import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ListTodo, Plus, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { LinkButton } from "@/elements/link-button";
import { Page, Panel } from "@/elements/page";
import { Answer, Empty, Stale } from "@/elements/states";
import { Moment } from "@/elements/time";
import type { KnownKind } from "@/features/feature";
import { pathOf, useKinds } from "@/features/registry";
import { deviceName, devicesText } from "@/formats/devices";
import { useMay, useSession } from "@/identity/session";
import { useStaleSince } from "@/tasks/live";
import { StateWithReason } from "@/tasks/state-tag";
import { useNames } from "@/words/names";
import { useReason } from "@/words/told";
import { Charts } from "./charts";
import { Flow } from "./flow";
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
  const stale = useStaleSince();
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
      {stale !== null && <Stale since={stale} />}
      <Answer query={query} rows={10}>
        {(overview) => (
          <div className="overview">
            <Flow />
            <Attention reasons={overview.attention} />
            <Charts />
            <div className="overview-columns">
              <Recent tasks={overview.recent} />
              <div className="overview-side">
                <Devices clusters={overview.virtual_clusters} />
                {overview.nodes && <Machines overview={overview} />}
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
