import { ChevronsUpDown, Layers } from "lucide-react";
import { useTranslation } from "react-i18next";
import { MenuButton } from "@/appearance/menu-button";
import { deviceName, kindOf } from "@/formats/devices";
import { useActiveCluster, useSwitchCluster, type VirtualCluster } from "./active";
import "./cluster-picker.css";

/** The active virtual cluster with its free devices; a click switches to another one. */
export function ClusterPicker() {
  const { t } = useTranslation("virtual_clusters");
  const { active, mine, loaded } = useActiveCluster();
  const switchTo = useSwitchCluster();
  if (!loaded) return null;
  if (!active) return <span className="cluster-none">{t("none")}</span>;
  return (
    <MenuButton
      menu={{
        selectable: true,
        selectedKeys: [active.id],
        items: [
          {
            key: "title",
            type: "group",
            label: t("switch"),
            children: mine.map((cluster) => ({ key: cluster.id, label: <ClusterLine cluster={cluster} /> })),
          },
        ],
        onClick: ({ key }) => {
          const chosen = mine.find(({ id }) => id === key);
          if (chosen) switchTo(chosen);
        },
      }}
    >
      {(waiting) => (
        <button type="button" className="cluster-picker" aria-haspopup="menu" disabled={waiting}>
          <Layers size={14} aria-hidden />
          <span className="visually-hidden">{t("active")}</span>
          <span className="cluster-name">{active.name}</span>
          <span className="cluster-free tabular">
            {active.devices
              .filter((device) => device.total > 0)
              .map((device) => t("free_short", { free: device.free, total: device.total, kind: kindOf(device.type) }))
              .join(" · ")}
          </span>
          <ChevronsUpDown size={13} aria-hidden />
        </button>
      )}
    </MenuButton>
  );
}

function ClusterLine({ cluster }: { cluster: VirtualCluster }) {
  const { t } = useTranslation("virtual_clusters");
  return (
    <div className="cluster-line">
      <strong>{cluster.name}</strong>
      {cluster.devices.map((device) => (
        <span key={device.type} className="tabular">
          {t("free_long", { free: device.free, total: device.total, type: deviceName(device.type) })}
        </span>
      ))}
    </div>
  );
}
