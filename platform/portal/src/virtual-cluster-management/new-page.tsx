import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useFeedback } from "@/elements/feedback";
import { Page } from "@/elements/page";
import { Answer } from "@/elements/states";
import { ClusterForm } from "./cluster-form";
import { createRequest } from "./form";
import { Managers } from "./managers";
import { capacityQuery } from "./queries";

export function NewVirtualClusterPage() {
  return (
    <Managers>
      <NewVirtualCluster />
    </Managers>
  );
}

function NewVirtualCluster() {
  const { t } = useTranslation("virtual_cluster_management");
  const { message } = useFeedback();
  const navigate = useNavigate();
  const capacity = useQuery(capacityQuery);
  return (
    <Page title={t("new")} purpose={t("new_purpose")} crumbs={[{ to: "/virtual-clusters", label: t("title") }]}>
      <Answer query={capacity} rows={8}>
        {(known) => (
          <ClusterForm
            capacity={known}
            submitText={t("create")}
            send={(fields) => body(api.POST("/api/v1/virtual-clusters", { body: createRequest(fields) }))}
            done={({ id, name }) => {
              message.success(t("created_now", { name }));
              return navigate({ to: "/virtual-clusters/$id", params: { id }, search: {} });
            }}
          />
        )}
      </Answer>
    </Page>
  );
}
