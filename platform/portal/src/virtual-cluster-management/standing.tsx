import { CircleCheck, LoaderCircle, Trash2, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Tag } from "@/elements/tag";
import { deviceName } from "@/formats/devices";
import type { VirtualCluster } from "@/virtual-clusters/active";

const LOOKS = {
  preparing: { tone: "info", icon: LoaderCircle, turns: true },
  ready: { tone: "success", icon: CircleCheck, turns: false },
  deleting: { tone: "warning", icon: Trash2, turns: false },
} as const;

/** How far the machines have followed what is wanted of a virtual cluster. */
export function Standing({ standing }: Pick<VirtualCluster, "standing">) {
  const { t } = useTranslation("virtual_cluster_management");
  const { tone, icon, turns } = LOOKS[standing];
  return (
    <Tag tone={tone} icon={icon} turns={turns}>
      {t(`standing_${standing}`)}
    </Tag>
  );
}

/** Says of which devices more is granted than there are. */
export function Overcommitted({ overcommitted }: Pick<VirtualCluster, "overcommitted">) {
  const { t } = useTranslation("virtual_cluster_management");
  if (overcommitted.length === 0) return null;
  return (
    <Tag tone="warning" icon={TriangleAlert}>
      {t("overcommitted", { types: overcommitted.map(deviceName).join(", ") })}
    </Tag>
  );
}
