import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { FileUp, Plus, User } from "lucide-react";
import { useTranslation } from "react-i18next";
import { LinkButton } from "@/elements/link-button";
import { Page } from "@/elements/page";
import { SaveButton } from "@/elements/save-button";
import { type Column, Table } from "@/elements/table";
import { useMay } from "@/identity/session";
import { People } from "@/people/list";
import { type Account, exportedUsers, type UserFilters, usersQuery } from "@/people/queries";
import { RoleLinks } from "@/people/role-links";
import { AccountState } from "./account-state";
import { Filters } from "./filters";
import { filtersOf } from "./search";
import { UserActions } from "./user-actions";

const NOTHING: Record<keyof UserFilters, undefined> = {
  words: undefined,
  active: undefined,
  waiting: undefined,
  role: undefined,
  group: undefined,
};

export function UsersPage() {
  const { t } = useTranslation("users");
  const may = useMay();
  const filters = filtersOf(useSearch({ strict: false }));
  const navigate = useNavigate();
  const query = useInfiniteQuery(usersQuery(filters));
  function change(part: UserFilters) {
    navigate({ to: "/users", search: { ...filters, ...part }, replace: true });
  }
  const make = may("users:manage") && (
    <LinkButton to="/users/new" primary icon={<Plus size={15} aria-hidden />}>
      {t("new")}
    </LinkButton>
  );
  const ways = (
    <>
      <SaveButton
        action="users/export"
        name="users"
        fetch={() => exportedUsers(filters)}
        words={t("export")}
        means={t("export_means")}
        done={t("exported")}
        failed={t("export_failed")}
      />
      {may("users:manage") && (
        <LinkButton to="/users/import" icon={<FileUp size={15} aria-hidden />}>
          {t("import")}
        </LinkButton>
      )}
      {make}
    </>
  );
  return (
    <Page title={t("title")} purpose={t("purpose")} actions={ways}>
      <Filters filters={filters} change={change} />
      <People
        query={query}
        filtered={Object.values(filters).some((each) => each !== undefined)}
        clear={() => change(NOTHING)}
        empty={{ icon: User, title: t("empty"), text: t("empty_why"), action: make }}
      >
        {(rows) => <UserTable rows={rows} />}
      </People>
    </Page>
  );
}

function UserTable({ rows }: { rows: Account[] }) {
  const { t } = useTranslation("users");
  const may = useMay();
  const columns: Column<Account>[] = [
    {
      key: "name",
      title: t("name"),
      width: 150,
      compare: (one, other) => one.name.localeCompare(other.name),
      render: ({ id, name }) => (
        <Link to="/users/$id" params={{ id }} className="people-name">
          {name}
        </Link>
      ),
    },
    {
      key: "nickname",
      title: t("nickname"),
      width: 150,
      compare: (one, other) => one.nickname.localeCompare(other.nickname),
      render: ({ id, nickname }) =>
        nickname ? (
          <Link to="/users/$id" params={{ id }} className="people-name people-second">
            {nickname}
          </Link>
        ) : (
          "–"
        ),
    },
    {
      key: "phone",
      title: t("phone"),
      width: 130,
      render: ({ phone }) => <span className="tabular">{phone || "–"}</span>,
    },
    {
      key: "email",
      title: t("email"),
      width: 190,
      render: ({ email }) => <span className="people-long">{email || "–"}</span>,
    },
    { key: "roles", title: t("roles"), width: 170, render: ({ roles }) => <RoleLinks roles={roles} /> },
    { key: "state", title: t("state"), width: 180, render: (account) => <AccountState account={account} /> },
  ];
  if (may("users:manage")) {
    columns.push({
      key: "actions",
      title: <span className="visually-hidden">{t("actions")}</span>,
      width: 150,
      align: "right",
      fixed: true,
      render: (account) => <UserActions account={account} compact />,
    });
  }
  return <Table keyOf={({ id }) => id} rows={rows} columns={columns} />;
}
