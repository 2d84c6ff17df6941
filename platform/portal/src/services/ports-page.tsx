import { useQuery } from "@tanstack/react-query";
import { Checkbox } from "antd";
import { CircleCheck, Globe, Lock, Network, ShieldAlert, ShieldOff, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { Page } from "@/elements/page";
import { Answer } from "@/elements/states";
import { Table } from "@/elements/table";
import { Tag } from "@/elements/tag";
import { portsQuery } from "./query";
import "./services.css";

type Port = Schemas["OpenPort"];
type Ports = Schemas["Ports"];

const BINDS = {
  node: "binds_node",
  loopback: "binds_loopback",
  "pod network": "binds_pods",
  "node, forwarded": "binds_forwarded",
} as const;

/** What listens on nodes and as Services, and who may come there. */
export function PortsPage() {
  const { t } = useTranslation("services");
  const query = useQuery(portsQuery);
  const [only, setOnly] = useState(false);
  return (
    <Page title={t("ports_title")} purpose={t("ports_purpose")}>
      <Answer query={query} rows={12}>
        {(found) => (
          <>
            <Held ports={found} />
            <div className="ports-filter">
              <Checkbox checked={only} onChange={({ target }) => setOnly(target.checked)}>
                {t("ports_sensitive_only")}
              </Checkbox>
            </div>
            <PortTable rows={only ? found.rows.filter(({ sensitive }) => sensitive) : found.rows} />
          </>
        )}
      </Answer>
    </Page>
  );
}

/** Whether the nodes are as the table says. */
function Held({ ports }: { ports: Ports }) {
  const { t } = useTranslation("services");
  const exposed = ports.rows.filter(
    ({ sensitive, who, who_ipv6 }) => sensitive && [...who, ...who_ipv6].includes("everybody"),
  );
  const held = ports.firewall && ports.without_row.length === 0 && ports.silent.length === 0;
  return (
    <ul className="ports-held" aria-label={t("ports_seen")}>
      {held && (
        <li>
          <Tag tone="success" icon={CircleCheck}>
            {t("ports_held")}
          </Tag>
        </li>
      )}
      {!ports.firewall && (
        <li>
          <Tag tone="danger" icon={ShieldOff}>
            {t("ports_no_firewall")}
          </Tag>
        </li>
      )}
      {exposed.length > 0 && (
        <li>
          <Tag tone="warning" icon={Globe}>
            {t("ports_exposed", { ports: exposed.map(({ what, ports: number }) => `${what} (${number})`).join(", ") })}
          </Tag>
        </li>
      )}
      {ports.without_row.map(({ node, protocol, address, port, program }) => (
        <li key={`${node} ${protocol} ${address} ${port}`}>
          <Tag tone="warning" icon={TriangleAlert}>
            {t("ports_without_row", { node, place: `${address}:${port}/${protocol}`, program: program || "?" })}
          </Tag>
        </li>
      ))}
      {ports.silent.map(({ node, message }) => (
        <li key={node}>
          <Tag tone="warning" icon={TriangleAlert}>
            {t("ports_silent", { node, message })}
          </Tag>
        </li>
      ))}
    </ul>
  );
}

function PortTable({ rows }: { rows: Port[] }) {
  const { t } = useTranslation("services");
  return (
    <div className="card">
      <Table
        rows={rows}
        keyOf={({ program, protocol, ports, what }) => `${program} ${protocol} ${ports} ${what}`}
        columns={[
          {
            key: "port",
            title: t("ports_port"),
            render: ({ ports, protocol }) => <span className="tabular">{`${ports}/${protocol}`}</span>,
          },
          {
            key: "what",
            title: t("ports_what"),
            render: ({ what, program, sensitive }) => (
              <div className="service-name">
                <strong>{what}</strong>
                {sensitive && (
                  <Tag tone="plain" icon={ShieldAlert}>
                    {t("ports_sensitive")}
                  </Tag>
                )}
                {program && <span className="quiet">{program}</span>}
              </div>
            ),
          },
          { key: "who", title: t("ports_who"), render: ({ who, ...row }) => <Who {...row} who={who} /> },
          {
            key: "who_ipv6",
            title: t("ports_who_ipv6"),
            render: ({ who_ipv6, ...row }) => <Who {...row} who={who_ipv6} />,
          },
          {
            key: "on",
            title: t("ports_on"),
            render: ({ on, binds }) =>
              binds === "pod network" ? t("binds_pods") : `${t(`on_${on}`)}, ${t(BINDS[binds])}`,
          },
        ]}
      />
    </div>
  );
}

function Who({ who, binds, callers }: Pick<Port, "who" | "binds" | "callers">) {
  const { t } = useTranslation("services");
  if (who.length === 0)
    return (
      <Tag tone="plain" icon={Lock}>
        {t(binds === "loopback" ? "who_itself" : "who_nobody")}
      </Tag>
    );
  const everybody = who.includes("everybody");
  return (
    <Tag tone={everybody ? "warning" : "info"} icon={everybody ? Globe : Network}>
      {who
        .map((one) =>
          one === "pods" && callers.length > 0 ? t("who_callers", { names: callers.join(", ") }) : t(`who_${one}`),
        )
        .join(", ")}
    </Tag>
  );
}
