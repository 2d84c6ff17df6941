import { useQuery } from "@tanstack/react-query";
import { Radio } from "antd";
import { useTranslation } from "react-i18next";
import { Answer, Loading } from "@/elements/states";
import { deviceName } from "@/formats/devices";
import { clustersQuery, useActiveCluster, useSwitchCluster, type VirtualCluster } from "@/virtual-clusters/active";

/** The virtual cluster in use, among all that the account is linked to; choosing another switches at once. */
export function ClusterChoice() {
  const { t } = useTranslation(["settings", "virtual_clusters"]);
  const query = useQuery(clustersQuery);
  const { active, mine, loaded } = useActiveCluster();
  const switchTo = useSwitchCluster();
  // Which of them is in use, only the settings know.
  if (query.isSuccess && !loaded) return <Loading rows={3} />;
  return (
    <Answer query={query} rows={3}>
      {() =>
        mine.length === 0 ? (
          <p className="quiet">{t("virtual_clusters:none_why")}</p>
        ) : (
          <Radio.Group
            className="linked-clusters"
            aria-label={t("cluster")}
            value={active?.id}
            onChange={({ target }) => {
              const chosen = mine.find(({ id }) => id === target.value);
              if (chosen) switchTo(chosen);
            }}
          >
            {mine.map((cluster) => (
              <Radio key={cluster.id} value={cluster.id} className="linked-cluster">
                <Linked cluster={cluster} inUse={cluster.id === active?.id} />
              </Radio>
            ))}
          </Radio.Group>
        )
      }
    </Answer>
  );
}

function Linked({ cluster, inUse }: { cluster: VirtualCluster; inUse: boolean }) {
  const { t } = useTranslation(["settings", "virtual_clusters"]);
  const { name, devices, max_devices_per_user: most, max_hours: hours } = cluster;
  return (
    <span className="linked">
      <span className="linked-name">
        {name}
        {inUse && <span className="linked-in-use">{t("in_use")}</span>}
      </span>
      {devices.map(({ type, free, total }) => (
        <span key={type} className="linked-detail tabular">
          <span>{t("virtual_clusters:free_long", { free, total, type: deviceName(type) })}</span>
          <span>{t("most_each", { count: most[type] ?? total })}</span>
        </span>
      ))}
      {devices.length === 0 && <span className="linked-detail">{t("virtual_clusters:no_devices")}</span>}
      <span className="linked-detail tabular">{hours === null ? t("no_limit") : t("hours", { count: hours })}</span>
    </span>
  );
}
