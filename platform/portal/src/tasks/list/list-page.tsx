import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Button } from "antd";
import { Plus, SearchX } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { LinkButton } from "@/elements/link-button";
import { Page } from "@/elements/page";
import { Empty, Failed, Loading, Stale } from "@/elements/states";
import type { KnownKind } from "@/features/feature";
import { useMay } from "@/identity/session";
import { useNames } from "@/words/names";
import { useStaleSince } from "../live";
import { taskListQuery } from "../queries";
import { useHidden } from "./columns";
import { FilterBar } from "./filter-bar";
import { sorted, useStill } from "./rows";
import { RowsTable } from "./rows-table";
import { type ListSearch, listSearchOf } from "./search";

/** A list sorted by anything but its age needs all rows; beyond this many it says that it has only the newest. */
const SORTABLE_ROWS = 2_000;

interface TaskListWords {
  title: string;
  /** One line that says what the page is for. */
  purpose: string;
  /** What stands there before the first one, and what a task of this kind is. */
  empty: string;
  first: string;
}

/** The tasks of a kind, as they happen; the feature that brings the kind gives the words. */
export function TaskListPage({ kind, words }: { kind: KnownKind; words: TaskListWords }) {
  const { t } = useTranslation(["tasks", "common"]);
  const names = useNames();
  const may = useMay();
  const search = listSearchOf(useSearch({ strict: false }));
  const navigate = useNavigate();
  const stale = useStaleSince();
  const [hidden, setHidden] = useHidden(kind.kind);
  const [resting, setResting] = useState(false);
  const query = useInfiniteQuery({
    ...taskListQuery({
      kind: [kind.kind],
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

  function change(part: Partial<ListSearch>) {
    navigate({ to: kind.path, search: { ...search, ...part } as never, replace: true });
  }
  const filtered = Boolean(search.words || search.state || search.virtual_cluster);

  return (
    <Page
      title={words.title}
      purpose={words.purpose}
      actions={
        kind.form &&
        may(kind.form.needs) && (
          <LinkButton to={kind.form.path} primary icon={<Plus size={15} aria-hidden />}>
            {names(kind.feature, "new")}
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
          icon={kind.icon}
          title={words.empty}
          action={
            kind.form &&
            may(kind.form.needs) && (
              <LinkButton to={kind.form.path} search={kind.form.first as never} primary>
                {names(kind.feature, "first")}
              </LinkButton>
            )
          }
        >
          {words.first}
        </Empty>
      )}
      {query.data && rows.length === 0 && filtered && (
        <Empty
          icon={SearchX}
          title={t("none_fit")}
          action={
            <Button onClick={() => change({ words: undefined, state: undefined, virtual_cluster: undefined })}>
              {t("common:actions.clear_filters")}
            </Button>
          }
        >
          {t("none_fit_why")}
        </Empty>
      )}
      {rows.length > 0 && (
        <>
          <RowsTable rows={rows} search={search} change={change} hidden={hidden} onRest={setResting} />
          <footer className="list-footer">
            <span className="tabular">{t(hasNextPage ? "loaded_some" : "loaded_all", { count: rows.length })}</span>
            {hasNextPage && (
              <Button size="small" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
                {t("common:actions.more")}
              </Button>
            )}
          </footer>
        </>
      )}
    </Page>
  );
}
