import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { deviceName } from "@/formats/devices";
import type { VirtualCluster } from "@/virtual-clusters/active";
import { type FormFields, givesLess, outlook } from "./form";
import type { Capacity } from "./queries";

/** Answers while one types: what is left free of each device type, and what the server would refuse. */
export function OutlookPanel({
  capacity,
  fields,
  cluster,
  tasks,
}: {
  capacity: readonly Capacity[];
  fields: FormFields;
  cluster: VirtualCluster | undefined;
  tasks: number;
}) {
  const { t } = useTranslation("virtual_cluster_management");
  return (
    <aside className="outlook" aria-label={t("outlook")}>
      <h2>{t("outlook")}</h2>
      <ul aria-live="polite">
        {outlook(capacity, fields, cluster).map(({ type, there, granted, left, over }) => (
          <li key={type}>
            <p className="outlook-type">{deviceName(type)}</p>
            <p className="outlook-left tabular">{t("outlook_left", { left, there, granted })}</p>
            {over > 0 && (
              <p className="outlook-over tabular">
                <TriangleAlert size={14} aria-hidden />
                {t("outlook_over", { count: over })}
              </p>
            )}
          </li>
        ))}
      </ul>
      {cluster && tasks > 0 && givesLess(fields, cluster) && (
        <p className="cluster-warning" role="status">
          <TriangleAlert size={15} aria-hidden />
          <span>{t("outlook_less", { count: tasks })}</span>
        </p>
      )}
      <p className="quiet">{t(fields.borrows ? "outlook_borrows" : "outlook_shared")}</p>
    </aside>
  );
}
