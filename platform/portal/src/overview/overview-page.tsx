import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { BrainCircuit, Code, Cpu, FileDown, type LucideIcon, Plus, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { LinkButton } from "@/elements/link-button";
import { Page, Panel } from "@/elements/page";
import { Answer, Empty } from "@/elements/states";
import { Moment } from "@/elements/time";
import { useReason } from "@/elements/words";
import { useMay, useSession } from "@/identity/session";
import { StateWithReason } from "@/tasks/state-tag";
import { STATE_ORDER, STATES } from "@/tasks/states";
import { deviceName, devicesText } from "@/virtual-clusters/devices";
import { overviewQuery } from "./query";
import "./overview-page.css";

type Overview = Schemas["Overview"];

export function OverviewPage() {
  const { t } = useTranslation();
  const { user } = useSession();
  const may = useMay();
  const query = useQuery(overviewQuery);
  return (
    <Page
      title={t("overview.title")}
      purpose={t("overview.purpose", { name: user.nickname || user.name })}
      actions={
        may("tasks:create") && (
          <LinkButton to="/training/new" primary icon={<Plus size={15} aria-hidden />}>
            {t("training.new")}
          </LinkButton>
        )
      }
    >
      <Answer query={query} rows={10}>
        {(overview) => (
          <div className="overview">
            <Attention reasons={overview.attention} />
            <Counts overview={overview} />
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
function Counts({ overview }: { overview: Overview }) {
  const { t } = useTranslation();
  const counts = overview.tasks.find((kind) => kind.kind === "training")?.states ?? {};
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const always = ["running", "queued", "finished", "failed"];
  const shown = STATE_ORDER.filter((state) => always.includes(state) || (counts[state] ?? 0) > 0);
  return (
    <Panel
      title={t("overview.tasks")}
      extra={<span className="quiet tabular">{t("overview.tasks_total", { count: total })}</span>}
      className="counts-panel"
    >
      <ul className="counts">
        {shown.map((state) => {
          const { icon: Icon, tone } = STATES[state];
          const count = counts[state] ?? 0;
          return (
            <li key={state}>
              <Link to="/training" search={{ state: [state] }} className="count">
                <span className={`count-name tone-${tone}`}>
                  <Icon size={14} aria-hidden />
                  {t(`state.${state}`)}
                </span>
                <strong className="tabular">{count}</strong>
                <small className="tabular">
                  {total > 0 ? t("overview.share", { share: Math.round((100 * count) / total) }) : "\u00a0"}
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
  const { t } = useTranslation();
  const may = useMay();
  return (
    <Panel title={t("overview.recent")} extra={<Link to="/training">{t("overview.all")}</Link>} className="flush">
      {tasks.length === 0 ? (
        <Empty
          icon={BrainCircuit}
          title={t("training.empty")}
          action={
            may("tasks:create") && (
              <LinkButton to="/training/new" search={{ example: "digits" }}>
                {t("training.empty_action")}
              </LinkButton>
            )
          }
        >
          {t("training.empty_first")}
        </Empty>
      ) : (
        <ul className="recent">
          {tasks.map((task) => (
            <li key={task.id}>
              <div className="recent-name">
                <Link to="/training/$id" params={{ id: task.id }}>
                  {task.name}
                </Link>
                <span className="quiet">
                  {task.engine} · {devicesText(task.devices, task.nodes, task.device_type)}
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
  const { t } = useTranslation();
  return (
    <Panel title={t("overview.devices")}>
      {clusters.length === 0 && <p className="quiet">{t("clusters.none")}</p>}
      <div className="stack overview-clusters">
        {clusters.map((cluster) => (
          <div key={cluster.id}>
            <p className="overview-cluster">{cluster.name}</p>
            {cluster.devices.map((device) => (
              <Meter key={device.type} device={device} />
            ))}
            {cluster.devices.length === 0 && <p className="quiet">{t("clusters.no_devices")}</p>}
          </div>
        ))}
      </div>
    </Panel>
  );
}

function Meter({ device }: { device: Schemas["DeviceUse"] }) {
  const { t } = useTranslation();
  const share = device.total > 0 ? (100 * device.used) / device.total : 0;
  return (
    <div className="meter">
      <span>{deviceName(device.type)}</span>
      <span className="tabular quiet">{t("overview.in_use", { used: device.used, total: device.total })}</span>
      <div className="meter-bar" aria-hidden>
        <span style={{ width: `${share}%` }} />
      </div>
    </div>
  );
}

function Machines({ overview }: { overview: Overview }) {
  const { t } = useTranslation();
  const { nodes } = overview;
  if (!nodes) return null;
  return (
    <Panel title={t("overview.cluster")} extra={<Link to="/nodes">{t("menu.nodes")}</Link>}>
      <dl className="figures">
        <div>
          <dt>{t("overview.nodes_ready")}</dt>
          <dd className="tabular">
            {nodes.ready}
            <small>/{nodes.total}</small>
          </dd>
        </div>
        <div>
          <dt>{t("overview.running_total")}</dt>
          <dd className="tabular">{overview.running_total ?? 0}</dd>
        </div>
      </dl>
    </Panel>
  );
}

const STEPS = [
  { id: "code", icon: Code, to: "/training/new", search: { example: "digits" } },
  { id: "train", icon: Cpu, to: "/training/new", search: {} },
  { id: "model", icon: FileDown, to: "/training", search: { state: ["finished"] } },
] as const satisfies { id: string; icon: LucideIcon; to: string; search: object }[];

/** The recommended way through the platform, with links. */
function Flow() {
  const { t } = useTranslation();
  return (
    <Panel title={t("overview.flow")}>
      <ol className="flow">
        {STEPS.map(({ id, icon: Icon, to, search }) => (
          <li key={id}>
            <span className="flow-icon">
              <Icon size={15} aria-hidden />
            </span>
            <div>
              <Link to={to} search={search as never}>
                {t(`overview.flow_${id}`)}
              </Link>
              <p className="quiet">{t(`overview.flow_${id}_why`)}</p>
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
