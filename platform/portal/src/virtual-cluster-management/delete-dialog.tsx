import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { EditDialog } from "@/people/edit-dialog";
import { ifMatch } from "@/people/queries";
import type { VirtualCluster } from "@/virtual-clusters/active";
import { useReread } from "./queries";

/** It goes for good, while no task is in it; its members stay and lose it. */
export default function DeleteDialog({ cluster, onClose }: { cluster: VirtualCluster; onClose: () => void }) {
  const { t } = useTranslation(["virtual_cluster_management", "people"]);
  const { name } = cluster;
  return (
    <EditDialog
      title={t("delete_question", { name })}
      okText={t("delete")}
      danger
      shown={cluster}
      fieldsOf={() => ({})}
      reread={useReread(cluster.id)}
      save={(_, shown) =>
        body(
          api.DELETE("/api/v1/virtual-clusters/{cluster_id}", {
            params: { path: { cluster_id: shown.id }, header: ifMatch(shown) },
          }),
        )
      }
      done={t("delete_begun", { name })}
      onClose={onClose}
    >
      {({ members, running_tasks: running, waiting_tasks: waiting }) => (
        <div className="stack">
          <p>{t("delete_members", { count: members })}</p>
          <p>{t("delete_means")}</p>
          {running + waiting > 0 && <p className="people-warning">{t("delete_tasks", { count: running + waiting })}</p>}
        </div>
      )}
    </EditDialog>
  );
}
