import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, body, type Schemas } from "@/api/client";
import { Page } from "@/elements/page";
import { Failed, Loading } from "@/elements/states";
import { taskQuery } from "@/tasks/queries";
import { useActiveCluster } from "@/virtual-clusters/active";
import { useNames } from "@/words/names";
import { EMPTY, exampleFields, type FormFields, fieldsOf, type TrainingOptions } from "./form";
import { NewTrainingForm } from "./new-form";

const optionsQuery = {
  queryKey: ["training", "options"],
  queryFn: () => body(api.GET("/api/v1/trainings/options")),
  staleTime: 5_000,
};

export function NewTrainingPage() {
  const { t } = useTranslation("training");
  const names = useNames();
  const { copy, example } = useSearch({ from: "/shell/training/new" });
  const { active, loaded } = useActiveCluster();
  const options = useQuery(optionsQuery);
  const copied = useQuery({ ...taskQuery(copy ?? ""), enabled: copy !== undefined });
  // A form that is there stays, whatever becomes of reading its options again: it holds what a person wrote.
  const failed = [options, copied].find((query) => query.isError && query.data === undefined);
  const ready = options.data && loaded && (copy === undefined || copied.data);
  return (
    <Page title={names("training", "new")} purpose={t("new_purpose")} crumbs={[{ to: "/training", label: t("title") }]}>
      {failed && <Failed error={failed.error} retry={() => failed.refetch()} />}
      {!failed && !ready && <Loading rows={12} />}
      {!failed && ready && options.data && (
        <NewTrainingForm
          key={`${copy}/${example}`}
          options={options.data}
          start={startOf(options.data, active?.name, copied.data, example)}
        />
      )}
    </Page>
  );
}

/** The values that the form starts with: an old task's, an example's, or defaults that work. */
function startOf(
  options: TrainingOptions,
  active: string | undefined,
  copied?: Schemas["Task"],
  example?: string,
): FormFields {
  const cluster = options.virtual_clusters.find((each) => each.name === active) ?? options.virtual_clusters[0];
  const device = cluster?.devices.find((each) => each.total > 0) ?? cluster?.devices[0];
  const chosen = options.examples.find((each) => each.name === example);
  return {
    ...EMPTY,
    virtual_cluster: cluster?.name ?? "",
    device_type: device?.type ?? "",
    framework: options.frameworks[0]?.name ?? "",
    ...(chosen && exampleFields(chosen)),
    ...(copied && fieldsOf(copied)),
  };
}
