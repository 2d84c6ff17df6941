import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Button } from "antd";
import { BrainCircuit, Plus, SearchX } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { LinkButton } from "@/elements/link-button";
import { Page } from "@/elements/page";
import { Empty, Failed, Loading, Stale } from "@/elements/states";
import { useMay } from "@/identity/session";
import { useStaleSince } from "../live";
import { taskListQuery } from "../queries";
import { useHidden } from "./columns";
import { FilterBar } from "./filter-bar";
import { sorted, useStill } from "./rows";
import { RowsTable } from "./rows-table";
import type { TrainingSearch } from "./search";

/** A list sorted by anything but its age needs all rows; beyond this many it says that it has only the newest. */
const SORTABLE_ROWS = 2_000;

export function TrainingListPage() {
  const { t } = useTranslation();
  const may = useMay();
  const search = useSearch({ from: "/shell/training" });
  const navigate = useNavigate({ from: "/training" });
  const stale = useStaleSince();
  const [hidden, setHidden] = useHidden();
  const [resting, setResting] = useState(false);
  const query = useInfiniteQuery({
    ...taskListQuery({
      state: search.state,
      owner: search.owner,
      virtual_cluster: search.virtual_cluster,
      words: search.words,
    }),
    placeholderData: (before) => before,
  });
  const loaded = query.data?.pages.flatMap((page) => page.items) ?? [];
  const rows = useStill(sorted(loaded, search.sort, search.order), resting);

  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  // After a failure a person tries again, not this page without end.
  const wantsAll = search.sort !== undefined && loaded.length < SORTABLE_ROWS && !query.isError;
  useEffect(() => {
    if (wantsAll && hasNextPage && !isFetchingNextPage) fetchNextPage();
  }, [wantsAll, hasNextPage, isFetchingNextPage, fetchNextPage]);

  function change(part: Partial<TrainingSearch>) {
    navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  }
  const filtered = Boolean(search.words || search.state || search.virtual_cluster);

  return (
    <Page
      title={t("training.title")}
      purpose={t("training.purpose")}
      actions={
        may("tasks:create") && (
          <LinkButton to="/training/new" primary icon={<Plus size={15} aria-hidden />}>
            {t("training.new")}
          </LinkButton>
        )
      }
    >
      {stale !== null && <Stale since={stale} />}
      <FilterBar search={search} change={change} hidden={hidden} setHidden={setHidden} />
      {query.isError && !query.data && <Failed error={query.error} retry={() => query.refetch()} />}
      {query.isError && query.data && (
        <Stale since={query.dataUpdatedAt} error={query.error} retry={() => query.refetch()} />
      )}
      {query.isPending && <Loading rows={10} />}
      {query.data && rows.length === 0 && !filtered && (
        <Empty
          icon={BrainCircuit}
          title={t("training.empty")}
          action={
            may("tasks:create") && (
              <LinkButton to="/training/new" search={{ example: "digits" }} primary>
                {t("training.empty_action")}
              </LinkButton>
            )
          }
        >
          {t("training.empty_first")}
        </Empty>
      )}
      {query.data && rows.length === 0 && filtered && (
        <Empty
          icon={SearchX}
          title={t("training.none_fit")}
          action={
            <Button onClick={() => change({ words: undefined, state: undefined, virtual_cluster: undefined })}>
              {t("actions.clear_filters")}
            </Button>
          }
        >
          {t("training.none_fit_why")}
        </Empty>
      )}
      {rows.length > 0 && (
        <>
          <RowsTable rows={rows} search={search} change={change} hidden={hidden} onRest={setResting} />
          <footer className="list-footer">
            <span className="tabular">
              {t(hasNextPage ? "training.loaded_some" : "training.loaded_all", { count: rows.length })}
            </span>
            {hasNextPage && (
              <Button size="small" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
                {t("actions.more")}
              </Button>
            )}
          </footer>
        </>
      )}
    </Page>
  );
}
