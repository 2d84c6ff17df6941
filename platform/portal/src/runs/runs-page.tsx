import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Button } from "antd";
import { History } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Page } from "@/elements/page";
import { Empty, Failed, Loading, Stale } from "@/elements/states";
import { Table } from "@/elements/table";
import { Tag } from "@/elements/tag";
import { Moment } from "@/elements/time";
import { duration } from "@/formats/moments";
import { runsQuery } from "./query";
import { RUN_STATES } from "./states";
import "./runs.css";

export function RunsPage() {
  const { t } = useTranslation(["runs", "common"]);
  const query = useInfiniteQuery(runsQuery);
  const runs = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Page title={t("title")} purpose={t("purpose")}>
      {query.isPending && <Loading />}
      {query.isError && !query.data && <Failed error={query.error} retry={() => query.refetch()} />}
      {query.isError && query.data && (
        <Stale since={query.dataUpdatedAt} error={query.error} retry={() => query.refetch()} />
      )}
      {query.data && runs.length === 0 && (
        <Empty icon={History} title={t("empty")}>
          {t("empty_why")}
        </Empty>
      )}
      {runs.length > 0 && (
        <div className="framed">
          <Table
            keyOf={(run) => run.id}
            rows={runs}
            columns={[
              {
                key: "id",
                title: t("id"),
                render: (run) => (
                  <Link to="/runs/$id" params={{ id: run.id }} className="run-name mono">
                    {run.id}
                  </Link>
                ),
              },
              { key: "verb", title: t("verb"), render: (run) => <code>{run.verb}</code> },
              {
                key: "state",
                title: t("state"),
                render: (run) => <Tag {...RUN_STATES[run.state]}>{t(`state_${run.state}`)}</Tag>,
              },
              {
                key: "changed",
                title: t("changed"),
                align: "right",
                render: (run) => <span className="tabular">{run.changed}</span>,
              },
              {
                key: "failed",
                title: t("failed"),
                align: "right",
                render: (run) => <span className="tabular">{run.failed}</span>,
              },
              { key: "started", title: t("started"), render: (run) => <Moment at={run.started_at} /> },
              {
                key: "took",
                title: t("took"),
                align: "right",
                render: (run) => (
                  <span className="tabular nowrap">{run.seconds === null ? "–" : duration(run.seconds)}</span>
                ),
              },
            ]}
          />
        </div>
      )}
      {query.hasNextPage && (
        <Button
          size="small"
          className="runs-more"
          loading={query.isFetchingNextPage}
          onClick={() => query.fetchNextPage()}
        >
          {t("common:actions.more")}
        </Button>
      )}
    </Page>
  );
}
