import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Button, Table } from "antd";
import { History } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Page } from "@/elements/page";
import { Empty, Failed, Loading, Stale } from "@/elements/states";
import { Tag } from "@/elements/tag";
import { Moment } from "@/elements/time";
import { duration } from "@/formats/moments";
import { type RunSummary, runsQuery } from "./query";
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
          <Table<RunSummary>
            rowKey="id"
            size="middle"
            pagination={false}
            dataSource={runs}
            scroll={{ x: "max-content" }}
            columns={[
              {
                title: t("id"),
                render: (_, run) => (
                  <Link to="/runs/$id" params={{ id: run.id }} className="task-name mono">
                    {run.id}
                  </Link>
                ),
              },
              { title: t("verb"), render: (_, run) => <code>{run.verb}</code> },
              {
                title: t("state"),
                render: (_, run) => <Tag {...RUN_STATES[run.state]}>{t(`state_${run.state}`)}</Tag>,
              },
              {
                title: t("changed"),
                align: "right",
                render: (_, run) => <span className="tabular">{run.changed}</span>,
              },
              {
                title: t("failed"),
                align: "right",
                render: (_, run) => <span className="tabular">{run.failed}</span>,
              },
              { title: t("started"), render: (_, run) => <Moment at={run.started_at} /> },
              {
                title: t("took"),
                align: "right",
                render: (_, run) => (
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
