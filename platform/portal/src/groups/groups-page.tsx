import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, UsersRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { LinkButton } from "@/elements/link-button";
import { Page } from "@/elements/page";
import { type Column, Table } from "@/elements/table";
import { Moment } from "@/elements/time";
import { useMay } from "@/identity/session";
import { People, WordsFilter } from "@/people/list";
import { type Group, groupsQuery } from "@/people/queries";
import { GroupActions } from "./group-actions";
import { searchOf } from "./search";

export function GroupsPage() {
  const { t } = useTranslation("groups");
  const may = useMay();
  const { words } = searchOf(useSearch({ strict: false }));
  const navigate = useNavigate();
  const query = useInfiniteQuery(groupsQuery(words));
  const change = (wanted: string | undefined) => navigate({ to: "/groups", search: { words: wanted }, replace: true });
  const make = may("groups:manage") && (
    <LinkButton to="/groups/new" primary icon={<Plus size={15} aria-hidden />}>
      {t("new")}
    </LinkButton>
  );
  return (
    <Page title={t("title")} purpose={t("purpose")} actions={make}>
      <search className="people-filters">
        <WordsFilter label={t("words")} value={words} onChange={change} />
      </search>
      <People
        query={query}
        filtered={words !== undefined}
        clear={() => change(undefined)}
        empty={{ icon: UsersRound, title: t("empty"), text: t("empty_why"), action: make }}
      >
        {(rows) => <GroupTable rows={rows} />}
      </People>
    </Page>
  );
}

function GroupTable({ rows }: { rows: Group[] }) {
  const { t } = useTranslation("groups");
  const may = useMay();
  const columns: Column<Group>[] = [
    {
      key: "name",
      title: t("name"),
      width: 220,
      compare: (one, other) => one.name.localeCompare(other.name),
      render: ({ id, name }) => (
        <Link to="/groups/$id" params={{ id }} className="people-name">
          {name}
        </Link>
      ),
    },
    {
      key: "description",
      title: t("description"),
      render: ({ description }) => <span className="people-long">{description}</span>,
    },
    {
      key: "created",
      title: t("created"),
      width: 150,
      compare: (one, other) => one.created_at.localeCompare(other.created_at),
      render: ({ created_at }) => <Moment at={created_at} />,
    },
  ];
  if (may("groups:manage")) {
    columns.push({
      key: "actions",
      title: <span className="visually-hidden">{t("actions")}</span>,
      width: 100,
      align: "right",
      fixed: true,
      render: (group) => <GroupActions group={group} compact />,
    });
  }
  return <Table keyOf={({ id }) => id} rows={rows} columns={columns} />;
}
