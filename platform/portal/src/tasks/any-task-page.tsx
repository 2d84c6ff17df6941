import { useQuery } from "@tanstack/react-query";
import { Navigate, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Page } from "@/elements/page";
import { Answer } from "@/elements/states";
import { pathOf, useKinds } from "@/features/registry";
import { taskQuery } from "./queries";

/** Why a link that knows a task and not its kind led nowhere; a further try that finds it leads on. */
export function AnyTaskPage() {
  const { t } = useTranslation("tasks");
  const { id = "" } = useParams({ strict: false });
  const kinds = useKinds();
  const query = useQuery({ ...taskQuery(id), retryOnMount: false });
  return (
    <Page title={t("any")}>
      <Answer query={query}>
        {(task) => {
          const to = pathOf(kinds, task);
          return to && <Navigate to={to} replace />;
        }}
      </Answer>
    </Page>
  );
}
