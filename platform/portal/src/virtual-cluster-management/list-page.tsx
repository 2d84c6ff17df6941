import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Button } from "antd";
import { Layers, Plus, SearchX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { LinkButton } from "@/elements/link-button";
import { Page, Panel } from "@/elements/page";
import { Answer, Empty } from "@/elements/states";
import { type Column, Table } from "@/elements/table";
import { Moment } from "@/elements/time";
import { deviceName } from "@/formats/devices";
import { WordsFilter } from "@/people/list";
import { clustersQuery, type VirtualCluster } from "@/virtual-clusters/active";
import { ClusterActions } from "./cluster-actions";
import { Managers } from "./managers";
import { called, searchOf } from "./search";
import { Overcommitted, Standing } from "./standing";
import "./virtual-clusters.css";

export function VirtualClustersPage() {
  return (
    <Managers>
      <List />
    </Managers>
  );
}

function List() {
  const { t } = useTranslation(["virtual_cluster_management", "people", "common"]);
  const { words } = searchOf(useSearch({ strict: false }));
  const navigate = useNavigate();
  const query = useQuery(clustersQuery);
  const change = (wanted: string | undefined) =>
    navigate({ to: "/virtual-clusters", search: { words: wanted }, replace: true });
  const make = (
    <LinkButton to="/virtual-clusters/new" primary icon={<Plus size={15} aria-hidden />}>
      {t("new")}
    </LinkButton>
  );
  return (
    <Page title={t("title")} purpose={t("purpose")} actions={make}>
      <search className="people-filters">
        <WordsFilter label={t("words")} value={words} onChange={change} />
      </search>
      <Answer query={query} rows={8}>
        {(all) => {
          const rows = called(all, words);
          if (rows.length > 0) {
            return (
              <Panel className="flush">
                <Clusters rows={rows} />
              </Panel>
            );
          }
          return words === undefined ? (
            <Empty icon={Layers} title={t("empty")} action={make}>
              {t("empty_why")}
            </Empty>
          ) : (
            <Empty
              icon={SearchX}
              title={t("people:none_fit")}
              action={<Button onClick={() => change(undefined)}>{t("common:actions.clear_filters")}</Button>}
            >
              {t("people:none_fit_why")}
            </Empty>
          );
        }}
      </Answer>
    </Page>
  );
}

function Clusters({ rows }: { rows: VirtualCluster[] }) {
  const { t } = useTranslation("virtual_cluster_management");
  const columns: Column<VirtualCluster>[] = [
    {
      key: "name",
      title: t("name"),
      width: 150,
      compare: (one, other) => one.name.localeCompare(other.name),
      render: ({ id, name }) => (
        <Link to="/virtual-clusters/$id" params={{ id }} className="people-name">
          {name}
        </Link>
      ),
    },
    { key: "devices", title: t("devices_used"), width: 240, render: (cluster) => <Devices cluster={cluster} /> },
    {
      key: "max_hours",
      title: t("max_hours"),
      width: 120,
      render: ({ max_hours: hours }) => (
        <span className="tabular nowrap">{hours === null ? t("no_limit") : t("hours", { count: hours })}</span>
      ),
    },
    {
      key: "members",
      title: t("members"),
      width: 90,
      align: "right",
      compare: (one, other) => one.members - other.members,
      render: ({ members }) => <span className="tabular">{members}</span>,
    },
    { key: "tasks", title: t("tasks"), width: 130, render: (cluster) => <Tasks cluster={cluster} /> },
    {
      key: "standing",
      title: t("standing"),
      width: 150,
      render: (cluster) => (
        <div className="cluster-standing">
          <Standing standing={cluster.standing} />
          <Overcommitted overcommitted={cluster.overcommitted} brief />
        </div>
      ),
    },
    {
      key: "created",
      title: t("created"),
      width: 120,
      compare: (one, other) => one.created_at.localeCompare(other.created_at),
      render: ({ created_at }) => <Moment at={created_at} />,
    },
    {
      key: "actions",
      title: <span className="visually-hidden">{t("actions")}</span>,
      width: 150,
      align: "right",
      fixed: true,
      render: (cluster) => <ClusterActions cluster={cluster} compact />,
    },
  ];
  return <Table keyOf={({ id }) => id} rows={rows} columns={columns} />;
}

/** Each type with what is used of it, and the most that one member may hold. */
function Devices({ cluster }: { cluster: VirtualCluster }) {
  const { t } = useTranslation("virtual_cluster_management");
  if (cluster.devices.length === 0) return <span className="quiet">{t("no_devices")}</span>;
  return (
    <ul className="cluster-devices">
      {cluster.devices.map(({ type, used, total }) => (
        <li key={type}>
          <span>{deviceName(type)}</span>
          <span className="tabular nowrap">{t("used_of", { used, total })}</span>
          <span className="quiet tabular">
            {t("most_each", { count: cluster.max_devices_per_user[type] ?? total })}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Tasks({ cluster: { running_tasks: running, waiting_tasks: waiting } }: { cluster: VirtualCluster }) {
  const { t } = useTranslation("virtual_cluster_management");
  return (
    <div className="tabular">
      <div className="nowrap">{t("running", { count: running })}</div>
      <div className="nowrap quiet">{t("waiting", { count: waiting })}</div>
    </div>
  );
}
