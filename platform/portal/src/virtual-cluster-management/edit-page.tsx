import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useFeedback } from "@/elements/feedback";
import { Page } from "@/elements/page";
import { Answer } from "@/elements/states";
import { ifMatch } from "@/people/queries";
import { ClusterForm } from "./cluster-form";
import { editRequest } from "./form";
import { Managers } from "./managers";
import { capacityQuery, clusterQuery, useReread } from "./queries";

export function EditVirtualClusterPage() {
  const { id = "" } = useParams({ strict: false });
  return (
    <Managers>
      <EditVirtualCluster key={id} id={id} />
    </Managers>
  );
}

function EditVirtualCluster({ id }: { id: string }) {
  const { t } = useTranslation(["virtual_cluster_management", "people"]);
  const { message } = useFeedback();
  const navigate = useNavigate();
  const capacity = useQuery(capacityQuery);
  const cluster = useQuery(clusterQuery(id));
  const reread = useReread(id);
  return (
    <Page
      title={cluster.data ? t("edit_title", { name: cluster.data.name }) : t("edit")}
      purpose={t("edit_purpose")}
      crumbs={[
        { to: "/virtual-clusters", label: t("title") },
        { to: `/virtual-clusters/${encodeURIComponent(id)}`, label: cluster.data?.name ?? t("one") },
      ]}
    >
      <Answer query={cluster} rows={8}>
        {(shown) => (
          <Answer query={capacity} rows={8}>
            {(known) => (
              <ClusterForm
                capacity={known}
                cluster={shown}
                reread={reread}
                submitText={t("save")}
                send={(fields, base) =>
                  body(
                    api.PATCH("/api/v1/virtual-clusters/{cluster_id}", {
                      params: { path: { cluster_id: id }, header: ifMatch(base ?? shown) },
                      body: editRequest(fields, base ?? shown),
                    }),
                  )
                }
                done={({ name }) => {
                  message.success(t("saved", { name }));
                  return navigate({ to: "/virtual-clusters/$id", params: { id }, search: {} });
                }}
              />
            )}
          </Answer>
        )}
      </Answer>
    </Page>
  );
}
