import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Segmented, Tooltip } from "antd";
import { CircleCheck, CirclePause, CircleQuestionMark, CircleX, Cpu, Server } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Page, Panel } from "@/elements/page";
import { Answer, Empty } from "@/elements/states";
import { Table } from "@/elements/table";
import { Tag } from "@/elements/tag";
import { Moment } from "@/elements/time";
import { bytes, number } from "@/formats/amounts";
import { deviceName } from "@/formats/devices";
import { useReason } from "@/words/told";
import { type Node, nodesQuery } from "./query";
import "./nodes.css";

const STATES = {
  ready: { tone: "success", icon: CircleCheck },
  not_ready: { tone: "danger", icon: CircleX },
  unknown: { tone: "warning", icon: CircleQuestionMark },
  cordoned: { tone: "plain", icon: CirclePause },
} as const;

const ROLES = ["all", "master", "worker", "storage"] as const;

export function NodesPage() {
  const { t } = useTranslation(["nodes", "virtual_clusters"]);
  const query = useQuery(nodesQuery);
  const [role, setRole] = useState<(typeof ROLES)[number]>("all");
  return (
    <Page title={t("title")} purpose={t("purpose")}>
      <Answer query={query} rows={10}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Server} title={t("empty")}>
              {t("empty_why")}
            </Empty>
          ) : (
            <div className="nodes">
              <DeviceMap nodes={items} />
              <Panel
                className="flush"
                title={t("all", { count: items.length })}
                extra={
                  <Segmented
                    size="small"
                    aria-label={t("role")}
                    value={role}
                    onChange={setRole}
                    options={ROLES.map((each) => ({ value: each, label: t(`role_${each}`) }))}
                  />
                }
              >
                <NodeTable nodes={items.filter((node) => role === "all" || node.roles.includes(role))} />
              </Panel>
            </div>
          )
        }
      </Answer>
    </Page>
  );
}

/** Every device a square: one glance finds the idle ones. */
function DeviceMap({ nodes }: { nodes: Node[] }) {
  const { t } = useTranslation(["nodes", "virtual_clusters"]);
  const groups = nodes.flatMap((node) =>
    node.devices.filter((devices) => devices.total > 0).map((devices) => ({ node, devices })),
  );
  const total = groups.reduce((sum, { devices }) => sum + devices.total, 0);
  const used = groups.reduce((sum, { devices }) => sum + devices.used, 0);
  return (
    <Panel
      title={t("map")}
      extra={
        <span className="map-legend">
          <span className="legend-used">{t("used", { count: used })}</span>
          <span className="legend-idle">{t("idle", { count: total - used })}</span>
        </span>
      }
    >
      {groups.length === 0 ? (
        <Empty icon={Cpu} title={t("no_devices")}>
          {t("no_devices_why")}
        </Empty>
      ) : (
        <ul className="device-map">
          {groups.map(({ node, devices }) => (
            <li key={`${node.name}/${devices.type}`} className={node.state === "ready" ? "" : "map-away"}>
              <p>
                <strong>{node.name}</strong>
                <span className="quiet">{deviceName(devices.type)}</span>
                <span className="quiet tabular map-count">
                  {t("virtual_clusters:in_use", { used: devices.used, total: devices.total })}
                </span>
              </p>
              <div className="slots">
                {devices.slots.map((slot) => {
                  const who = slot.task_name
                    ? t("slot_used", { index: slot.index, task: slot.task_name, owner: slot.owner?.name ?? "–" })
                    : t("slot_idle", { index: slot.index });
                  const face = slot.task_name ? (slot.owner?.name ?? slot.task_name).slice(0, 2) : slot.index;
                  return (
                    <Tooltip key={slot.index} title={who}>
                      {slot.task_id ? (
                        <Link to="/tasks/$id" params={{ id: slot.task_id }} className="slot slot-used" aria-label={who}>
                          <span aria-hidden>{face}</span>
                        </Link>
                      ) : (
                        <span className="slot" role="img" aria-label={who}>
                          {face}
                        </span>
                      )}
                    </Tooltip>
                  );
                })}
              </div>
              {!devices.exact && devices.used > 0 && <p className="quiet map-note">{t("not_exact")}</p>}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Share({ asked, there, format }: { asked: number; there: number; format: (value: number) => string }) {
  return (
    <div className="node-share">
      <span className="tabular nowrap">
        {format(asked)} <span className="quiet">/ {format(there)}</span>
      </span>
      <span className="node-bar" aria-hidden>
        <span style={{ width: `${there > 0 ? Math.min(100, (100 * asked) / there) : 0}%` }} />
      </span>
    </div>
  );
}

function NodeTable({ nodes }: { nodes: Node[] }) {
  const { t } = useTranslation(["nodes", "virtual_clusters"]);
  const words = useReason();
  return (
    <Table
      keyOf={(node) => node.name}
      rows={nodes}
      empty={t("none_of_role")}
      columns={[
        {
          key: "name",
          title: t("name"),
          compare: (one, other) => one.name.localeCompare(other.name),
          render: (node) => (
            <div className="node-name">
              <strong>{node.name}</strong>
              <span className="quiet mono">{node.address}</span>
            </div>
          ),
        },
        {
          key: "state",
          title: t("state"),
          render: (node) => (
            <div className="state-cell">
              <Tag {...STATES[node.state]}>{t(`state_${node.state}`)}</Tag>
              {node.reason && node.state !== "ready" && <span className="state-reason">{words(node.reason)}</span>}
            </div>
          ),
        },
        { key: "roles", title: t("roles"), render: (node) => node.roles.map((role) => t(`role_${role}`)).join(", ") },
        {
          key: "cpu",
          title: t("cpu"),
          compare: (one, other) =>
            one.use.cpu_requested / one.use.cpu_cores - other.use.cpu_requested / other.use.cpu_cores,
          render: ({ use }) => <Share asked={use.cpu_requested} there={use.cpu_cores} format={number} />,
        },
        {
          key: "memory",
          title: t("memory"),
          compare: (one, other) =>
            one.use.memory_requested / one.use.memory_bytes - other.use.memory_requested / other.use.memory_bytes,
          render: ({ use }) => <Share asked={use.memory_requested} there={use.memory_bytes} format={bytes} />,
        },
        {
          key: "pods",
          title: t("pods"),
          render: ({ use }) => <span className="tabular">{`${use.pods} / ${use.pods_max}`}</span>,
        },
        {
          key: "software",
          title: t("software"),
          render: (node) => (
            <Tooltip title={together(node.kernel, node.runtime)}>
              <div className="node-name">
                <span>{node.os.replace(/ \(.*\)$/, "")}</span>
                <span className="quiet">{together(node.arch, node.kubelet)}</span>
              </div>
            </Tooltip>
          ),
        },
        { key: "joined", title: t("joined"), render: (node) => <Moment at={node.joined_at} /> },
      ]}
    />
  );
}

/** Those that are known: a machine without Kubernetes has neither kubelet nor runtime. */
function together(...parts: string[]): string {
  return parts.filter(Boolean).join(" · ");
}
