import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/api/problem";
import { Fact, Facts } from "@/elements/facts";
import { Page, Panel } from "@/elements/page";
import { Answer, Failed } from "@/elements/states";
import { type Column, Table } from "@/elements/table";
import { Moment } from "@/elements/time";
import { deviceName } from "@/formats/devices";
import type { VirtualCluster } from "@/virtual-clusters/active";
import { ClusterActions } from "./cluster-actions";
import { portsText } from "./egress";
import { Managers } from "./managers";
import { Members } from "./members";
import { clusterQuery } from "./queries";
import { Overcommitted, Standing } from "./standing";
import "./virtual-clusters.css";

export function VirtualClusterPage() {
  const { id = "" } = useParams({ strict: false });
  return (
    <Managers>
      <Detail key={id} id={id} />
    </Managers>
  );
}

/** One virtual cluster: what it grants, what is used of it, and whose it is. */
function Detail({ id }: { id: string }) {
  const { t } = useTranslation("virtual_cluster_management");
  const query = useQuery(clusterQuery(id));
  const cluster = query.data;
  // What was known of it is no news once it is gone.
  const gone = query.isError && problemOf(query.error).status === 404;
  return (
    <Page
      title={cluster ? cluster.name : t("one")}
      crumbs={[{ to: "/virtual-clusters", label: t("title") }]}
      aside={
        cluster &&
        !gone && (
          <>
            <Standing standing={cluster.standing} />
            <Overcommitted overcommitted={cluster.overcommitted} />
          </>
        )
      }
      purpose={t("one_purpose")}
      actions={cluster && !gone && <ClusterActions cluster={cluster} />}
    >
      {gone ? (
        <Failed error={query.error} />
      ) : (
        <Answer query={query} rows={8}>
          {(data) => (
            <div className="people-detail">
              {data.standing !== "ready" && (
                <p className="people-hint" role="status">
                  {t(`standing_${data.standing}_means`)}
                </p>
              )}
              <Information cluster={data} />
              <Devices cluster={data} />
              {data.standing !== "deleting" && <Members cluster={data} />}
            </div>
          )}
        </Answer>
      )}
    </Page>
  );
}

function Information({ cluster }: { cluster: VirtualCluster }) {
  const { t } = useTranslation("virtual_cluster_management");
  const { max_hours: hours } = cluster;
  return (
    <Panel title={t("information")}>
      <Facts>
        <Fact name={t("name")}>{cluster.name}</Fact>
        <Fact name={t("max_hours")}>
          <span className="tabular">{hours === null ? t("no_limit") : t("hours", { count: hours })}</span>
        </Fact>
        <Fact name={t("borrows")}>{t(cluster.borrows ? "borrows_idle" : "borrows_nothing")}</Fact>
        <Fact name={t("members")}>
          <span className="tabular">{cluster.members}</span>
        </Fact>
        <Fact name={t("tasks")}>
          <span className="row tabular">
            <span>{t("running", { count: cluster.running_tasks })}</span>
            <span>{t("waiting", { count: cluster.waiting_tasks })}</span>
          </span>
        </Fact>
        <Fact name={t("pod_security")}>{t(`pod_security_${cluster.pod_security}`)}</Fact>
        <Fact name={t("networks")}>
          {cluster.egress.length === 0
            ? t("networks_none")
            : cluster.egress.map(({ network, ports }) => (
                <span key={network} className="egress-shown tabular">
                  {t("network_ports", { network, ports: portsText(ports) })}
                </span>
              ))}
        </Fact>
        <Fact name={t("created")}>
          <Moment at={cluster.created_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}

function Devices({ cluster }: { cluster: VirtualCluster }) {
  const { t } = useTranslation("virtual_cluster_management");
  const columns: Column<VirtualCluster["devices"][number]>[] = [
    { key: "type", title: t("device_type"), render: ({ type }) => deviceName(type) },
    {
      key: "used",
      title: t("used"),
      render: ({ used, total }) => <span className="tabular nowrap">{t("used_of", { used, total })}</span>,
    },
    { key: "free", title: t("free"), render: ({ free }) => <span className="tabular">{free}</span> },
    {
      key: "most",
      title: t("most_per_user"),
      render: ({ type, total }) => <span className="tabular">{cluster.max_devices_per_user[type] ?? total}</span>,
    },
  ];
  return (
    <Panel className="flush" title={t("devices")}>
      <Table keyOf={({ type }) => type} rows={cluster.devices} columns={columns} empty={t("no_devices")} />
    </Panel>
  );
}
