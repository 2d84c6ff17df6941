import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Button, Input, Segmented } from "antd";
import { CircleCheck, CirclePause, KeyRound, Search, SearchX } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Page, Panel } from "@/elements/page";
import { Answer, Empty } from "@/elements/states";
import { Table } from "@/elements/table";
import { Tag } from "@/elements/tag";
import { Moment } from "@/elements/time";
import { useMay } from "@/identity/session";
import { type Account, filtersOf, type UserFilters, usersQuery } from "./query";
import { UserActions } from "./user-actions";
import "./users.css";

const STATES = ["all", "active", "disabled"] as const;
const TYPING_MS = 300;

export function UsersPage() {
  const { t } = useTranslation(["users", "common"]);
  const filters = filtersOf(useSearch({ strict: false }));
  const navigate = useNavigate();
  const query = useInfiniteQuery(usersQuery(filters));
  const state = filters.active === undefined ? "all" : filters.active ? "active" : "disabled";
  function change(part: UserFilters) {
    navigate({ to: "/users", search: { ...filters, ...part } as never, replace: true });
  }
  return (
    <Page title={t("title")} purpose={t("purpose")}>
      <div className="users-filters">
        <Words value={filters.words ?? ""} onChange={(words) => change({ words: words || undefined })} />
        <Segmented
          aria-label={t("state")}
          value={state}
          onChange={(chosen) => change({ active: chosen === "all" ? undefined : chosen === "active" })}
          options={STATES.map((each) => ({ value: each, label: t(`filter_${each}`) }))}
        />
      </div>
      <Answer query={query} rows={8}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.items);
          return rows.length === 0 ? (
            <Empty
              icon={SearchX}
              title={t("none_fit")}
              action={
                <Button onClick={() => change({ words: undefined, active: undefined })}>
                  {t("common:actions.clear_filters")}
                </Button>
              }
            >
              {t("none_fit_why")}
            </Empty>
          ) : (
            <Panel className="flush">
              <UserTable rows={rows} />
              {query.hasNextPage && (
                <footer className="users-more">
                  <Button size="small" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
                    {t("common:actions.more")}
                  </Button>
                </footer>
              )}
            </Panel>
          );
        }}
      </Answer>
    </Page>
  );
}

/** The words reach the address once a person pauses. */
function Words({ value, onChange }: { value: string; onChange: (words: string) => void }) {
  const { t } = useTranslation("users");
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const pause = setTimeout(() => onChange(typed), TYPING_MS);
    return () => clearTimeout(pause);
  }, [typed, value, onChange]);
  return (
    <Input
      allowClear
      className="users-words"
      prefix={<Search size={14} aria-hidden />}
      placeholder={t("words")}
      aria-label={t("words")}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}

function AccountState({ account }: { account: Account }) {
  const { t } = useTranslation("users");
  if (!account.active)
    return (
      <div className="state-cell">
        <Tag tone="plain" icon={CirclePause}>
          {t("state_disabled")}
        </Tag>
        {account.unfinished_tasks > 0 && (
          <span className="state-reason">{t("tasks_go_on", { count: account.unfinished_tasks })}</span>
        )}
      </div>
    );
  return account.must_change_password ? (
    <Tag tone="warning" icon={KeyRound}>
      {t("state_one_time")}
    </Tag>
  ) : (
    <Tag tone="success" icon={CircleCheck}>
      {t("state_active")}
    </Tag>
  );
}

function UserTable({ rows }: { rows: Account[] }) {
  const { t } = useTranslation("users");
  const may = useMay();
  return (
    <Table
      keyOf={(account) => account.id}
      rows={rows}
      columns={[
        {
          key: "name",
          title: t("name"),
          compare: (one, other) => one.name.localeCompare(other.name),
          render: (account) => (
            <div className="users-name">
              <strong>{account.name}</strong>
              {account.nickname !== account.name && <span className="quiet">{account.nickname}</span>}
            </div>
          ),
        },
        { key: "state", title: t("state"), width: 190, render: (account) => <AccountState account={account} /> },
        { key: "roles", title: t("roles"), render: ({ roles }) => roles.map((role) => t(`role_${role}`)).join(", ") },
        {
          key: "sessions",
          title: t("sessions"),
          align: "right",
          compare: (one, other) => one.sessions - other.sessions,
          render: ({ sessions }) => <span className="tabular">{sessions}</span>,
        },
        {
          key: "tasks",
          title: t("tasks"),
          align: "right",
          compare: (one, other) => one.unfinished_tasks - other.unfinished_tasks,
          render: ({ unfinished_tasks }) => <span className="tabular">{unfinished_tasks}</span>,
        },
        {
          key: "uid",
          title: t("uid"),
          align: "right",
          compare: (one, other) => one.uid - other.uid,
          render: ({ uid }) => <span className="tabular">{uid}</span>,
        },
        {
          key: "created",
          title: t("created"),
          compare: (one, other) => one.created_at.localeCompare(other.created_at),
          render: (account) => <Moment at={account.created_at} />,
        },
        ...(may("users:manage")
          ? [
              {
                key: "actions",
                title: <span className="visually-hidden">{t("actions")}</span>,
                width: 60,
                align: "right" as const,
                fixed: true,
                render: (account: Account) => <UserActions account={account} />,
              },
            ]
          : []),
      ]}
    />
  );
}
