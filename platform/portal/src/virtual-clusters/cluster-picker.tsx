import { Dropdown } from "antd";
import { ChevronsUpDown, Layers } from "lucide-react";
import { useTranslation } from "react-i18next";
import { chooseCluster, useActiveCluster, type VirtualCluster } from "./active";
import { deviceName, kindOf } from "./devices";
import "./cluster-picker.css";

/** The active virtual cluster with its free devices; a click switches to another one. */
export function ClusterPicker() {
  const { t } = useTranslation();
  const { active, mine, loaded } = useActiveCluster();
  if (!loaded) return null;
  if (!active) return <span className="cluster-none">{t("clusters.none")}</span>;
  return (
    <Dropdown
      trigger={["click"]}
      menu={{
        selectable: true,
        selectedKeys: [active.name],
        items: [
          {
            key: "title",
            type: "group",
            label: t("clusters.switch"),
            children: mine.map((cluster) => ({ key: cluster.name, label: <ClusterLine cluster={cluster} /> })),
          },
        ],
        onClick: ({ key }) => chooseCluster(key),
      }}
    >
      <button type="button" className="cluster-picker" aria-haspopup="menu">
        <Layers size={14} aria-hidden />
        <span className="visually-hidden">{t("clusters.active")}</span>
        <span className="cluster-name">{active.name}</span>
        <span className="cluster-free tabular">
          {active.devices
            .filter((device) => device.total > 0)
            .map((device) =>
              t("clusters.free_short", { free: device.free, total: device.total, kind: kindOf(device.type) }),
            )
            .join(" · ")}
        </span>
        <ChevronsUpDown size={13} aria-hidden />
      </button>
    </Dropdown>
  );
}

function ClusterLine({ cluster }: { cluster: VirtualCluster }) {
  const { t } = useTranslation();
  return (
    <div className="cluster-line">
      <strong>{cluster.name}</strong>
      {cluster.devices.map((device) => (
        <span key={device.type} className="tabular">
          {t("clusters.free_long", { free: device.free, total: device.total, type: deviceName(device.type) })}
        </span>
      ))}
    </div>
  );
}
