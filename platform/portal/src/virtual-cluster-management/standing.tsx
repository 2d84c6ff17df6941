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

/** Says that more is granted than there is, and, unless briefly, of which devices. */
export function Overcommitted({
  overcommitted,
  brief = false,
}: Pick<VirtualCluster, "overcommitted"> & { brief?: boolean }) {
  const { t } = useTranslation("virtual_cluster_management");
  if (overcommitted.length === 0) return null;
  return (
    <Tag tone="warning" icon={TriangleAlert}>
      {brief ? t("overcommitted_brief") : t("overcommitted", { types: overcommitted.map(deviceName).join(", ") })}
    </Tag>
  );
}
