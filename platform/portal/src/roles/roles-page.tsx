import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, ShieldCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { LinkButton } from "@/elements/link-button";
import { Page } from "@/elements/page";
import { type Column, Table } from "@/elements/table";
import { useRoleName } from "@/identity/role-name";
import { useMay } from "@/identity/session";
import { People, WordsFilter } from "@/people/list";
import { type Role, rolesQuery } from "@/people/queries";
import { useRoleDescription } from "@/people/role-choice";
import { RoleActions } from "./role-actions";
import { RoleType } from "./role-type";
import { searchOf } from "./search";

export function RolesPage() {
  const { t } = useTranslation("roles");
  const may = useMay();
  const { words } = searchOf(useSearch({ strict: false }));
  const navigate = useNavigate();
  const query = useInfiniteQuery(rolesQuery(words));
  const change = (wanted: string | undefined) => navigate({ to: "/roles", search: { words: wanted }, replace: true });
  const make = may("roles:manage") && (
    <LinkButton to="/roles/new" primary icon={<Plus size={15} aria-hidden />}>
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
        empty={{ icon: ShieldCheck, title: t("empty"), text: t("empty_why"), action: make }}
      >
        {(rows) => <RoleTable rows={rows} />}
      </People>
    </Page>
  );
}

function RoleTable({ rows }: { rows: Role[] }) {
  const { t } = useTranslation("roles");
  const may = useMay();
  const roleName = useRoleName();
  const description = useRoleDescription();
  const columns: Column<Role>[] = [
    {
      key: "name",
      title: t("name"),
      width: 220,
      compare: (one, other) => roleName(one).localeCompare(roleName(other)),
      render: (role) => (
        <Link to="/roles/$id" params={{ id: role.id }} className="people-name">
          {roleName(role)}
        </Link>
      ),
    },
    {
      key: "description",
      title: t("description"),
      render: (role) => <span className="people-long">{description(role)}</span>,
    },
    { key: "type", title: t("type"), width: 120, render: ({ preset }) => <RoleType preset={preset} /> },
  ];
  if (may("roles:manage")) {
    columns.push({
      key: "actions",
      title: <span className="visually-hidden">{t("actions")}</span>,
      width: 130,
      align: "right",
      fixed: true,
      render: (role) => <RoleActions role={role} compact />,
    });
  }
  return <Table keyOf={({ id }) => id} rows={rows} columns={columns} />;
}
