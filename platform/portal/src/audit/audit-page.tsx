import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Button } from "antd";
import { ScrollText } from "lucide-react";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Page } from "@/elements/page";
import { SaveButton } from "@/elements/save-button";
import { Denied } from "@/elements/states";
import { type Column, Table } from "@/elements/table";
import { useMay } from "@/identity/session";
import { People } from "@/people/list";
import { Filters } from "./filters";
import { ActorLink, ObjectLink } from "./links";
import { Outcome } from "./outcome";
import { type AuditRecord, auditQuery, exported } from "./query";
import { type AuditSearch, isFiltered, searchOf } from "./search";
import { At } from "./time";
import { useActionWords, useKindWords } from "./words";
import "./audit.css";

const RecordDialog = lazy(() => import("./record-dialog"));

/** Who did what, when and from where; the newest first. */
export function AuditPage() {
  const may = useMay();
  const { t } = useTranslation("audit");
  return may("audit:read") ? (
    <Records />
  ) : (
    <Page title={t("title")} purpose={t("purpose")}>
      <Denied />
    </Page>
  );
}

function Records() {
  const { t } = useTranslation("audit");
  const search = searchOf(useSearch({ strict: false }));
  const navigate = useNavigate();
  const query = useInfiniteQuery(auditQuery(search));
  const go = (wanted: AuditSearch, replace: boolean) => navigate({ to: "/audit", search: wanted, replace });
  const change = (part: AuditSearch) => go({ ...search, ...part, record: undefined }, true);
  const open = (record: string | undefined) => go({ ...search, record }, record === undefined);
  const save = (
    <SaveButton
      action="audit/export"
      name="audit"
      fetch={() => exported(search)}
      words={t("export")}
      means={t("export_means")}
      done={t("exported")}
      failed={t("export_failed")}
    />
  );
  return (
    <Page title={t("title")} purpose={t("purpose")} actions={save}>
      <Filters search={search} change={change} />
      <People
        query={query}
        filtered={isFiltered(search)}
        clear={() => go({}, true)}
        empty={{ icon: ScrollText, title: t("empty"), text: t("empty_why") }}
      >
        {(rows) => <RecordTable rows={rows} open={open} />}
      </People>
      <Suspense>
        {search.record !== undefined && (
          <RecordDialog
            id={search.record}
            known={query.data?.pages.flatMap((page) => page.items).find(({ id }) => id === search.record)}
            only={(part) => go(part, false)}
            onClose={() => open(undefined)}
          />
        )}
      </Suspense>
    </Page>
  );
}

function RecordTable({ rows, open }: { rows: AuditRecord[]; open: (id: string) => void }) {
  const { t } = useTranslation("audit");
  const actionWords = useActionWords();
  const kindWords = useKindWords();
  const columns: Column<AuditRecord>[] = [
    { key: "at", title: t("at"), width: 170, render: ({ at }) => <At at={at} /> },
    {
      key: "actor",
      title: t("actor"),
      width: 150,
      render: (record) => (
        <div className="audit-cell">
          <ActorLink record={record} />
        </div>
      ),
    },
    {
      key: "action",
      title: t("action"),
      width: 210,
      render: ({ action }) => <div className="audit-cell">{actionWords(action)}</div>,
    },
    {
      key: "object",
      title: t("object"),
      width: 200,
      render: (record) => (
        <div className="audit-object">
          <ObjectLink record={record} />
          <span className="quiet">{kindWords(record.object_kind)}</span>
        </div>
      ),
    },
    { key: "outcome", title: t("outcome"), width: 130, render: (record) => <Outcome record={record} /> },
    {
      key: "address",
      title: t("address"),
      width: 140,
      render: ({ address }) => <span className="tabular audit-name">{address || "–"}</span>,
    },
    {
      key: "details",
      title: <span className="visually-hidden">{t("details")}</span>,
      width: 100,
      align: "right",
      fixed: true,
      render: ({ id, action, object_name: name }) => (
        <Button
          size="small"
          type="text"
          aria-label={t("details_of", { action: actionWords(action), name })}
          onClick={() => open(id)}
        >
          {t("details")}
        </Button>
      ),
    },
  ];
  return <Table keyOf={({ id }) => id} rows={rows} columns={columns} />;
}
