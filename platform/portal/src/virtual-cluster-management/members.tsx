import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Button, Tooltip } from "antd";
import { CirclePause, Plus, User, UsersRound, X } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Panel } from "@/elements/page";
import { Answer } from "@/elements/states";
import { type Column, Table } from "@/elements/table";
import { Tag } from "@/elements/tag";
import { useMay } from "@/identity/session";
import { More, WordsFilter } from "@/people/list";
import { GroupLinks } from "@/people/role-links";
import type { VirtualCluster } from "@/virtual-clusters/active";
import { type Member, membersQuery, useClustersChanged } from "./queries";
import { searchOf } from "./search";

const AddDialog = lazy(() => import("./add-members-dialog"));
const RemoveDialog = lazy(() => import("./remove-member-dialog"));

/** Users and groups of a virtual cluster, by which way each user is one, and their tasks in it. */
export function Members({ cluster }: { cluster: VirtualCluster }) {
  const { t } = useTranslation(["virtual_cluster_management", "people"]);
  const { words } = searchOf(useSearch({ strict: false }));
  const navigate = useNavigate();
  const changed = useClustersChanged();
  const query = useInfiniteQuery(membersQuery(cluster.id, words));
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Member>();
  function look(wanted: string | undefined) {
    navigate({ to: "/virtual-clusters/$id", params: { id: cluster.id }, search: { words: wanted }, replace: true });
  }
  const columns: Column<Member>[] = [
    { key: "name", title: t("member"), width: 220, render: (member) => <Name member={member} /> },
    { key: "nickname", title: t("people:nickname"), width: 160, render: ({ nickname }) => nickname || "–" },
    { key: "how", title: t("how"), render: (member) => <How member={member} /> },
    {
      key: "tasks",
      title: t("member_tasks"),
      width: 120,
      align: "right",
      render: ({ kind, unfinished_tasks: count }) => <span className="tabular">{kind === "group" ? "–" : count}</span>,
    },
    {
      key: "actions",
      title: <span className="visually-hidden">{t("actions")}</span>,
      width: 56,
      align: "right",
      render: (member) =>
        member.direct && (
          <Tooltip title={t("people:remove")}>
            <Button
              type="text"
              size="small"
              icon={<X size={15} aria-hidden />}
              aria-label={t("people:remove_named", { name: member.name })}
              onClick={() => setLeaving(member)}
            />
          </Tooltip>
        ),
    },
  ];
  return (
    <Panel
      className="flush"
      title={t("members_title")}
      extra={
        <Button size="small" icon={<Plus size={14} aria-hidden />} onClick={() => setAdding(true)}>
          {t("add_members")}
        </Button>
      }
    >
      <search className="people-filters members-words">
        <WordsFilter label={t("members_words")} value={words} onChange={look} />
      </search>
      <Answer query={query} rows={4}>
        {({ pages }) => (
          <>
            <Table
              keyOf={({ kind, id }) => `${kind}/${id}`}
              rows={pages.flatMap((page) => page.items)}
              columns={columns}
              empty={t(words === undefined ? "no_members" : "people:none_fit")}
            />
            <More query={query} />
          </>
        )}
      </Answer>
      <Suspense>
        {adding && (
          <AddDialog
            cluster={cluster}
            onClose={() => {
              setAdding(false);
              changed();
            }}
          />
        )}
        {leaving && (
          <RemoveDialog
            cluster={cluster}
            member={leaving}
            onClose={() => {
              setLeaving(undefined);
              changed();
            }}
          />
        )}
      </Suspense>
    </Panel>
  );
}

function Name({ member: { kind, id, name, active } }: { member: Member }) {
  const { t } = useTranslation("virtual_cluster_management");
  const may = useMay();
  const group = kind === "group";
  const Icon = group ? UsersRound : User;
  return (
    <span className="member-name">
      <Icon size={14} aria-hidden />
      <span className="visually-hidden">{t(`kind_${kind}`)}</span>
      {may(group ? "groups:read" : "users:read") ? (
        <Link to={group ? "/groups/$id" : "/users/$id"} params={{ id }} className="people-name">
          {name}
        </Link>
      ) : (
        <span className="people-name">{name}</span>
      )}
      {!active && (
        <Tag tone="plain" icon={CirclePause}>
          {t("disabled")}
        </Tag>
      )}
    </span>
  );
}

/** Added by itself, through groups, or both. */
function How({ member: { kind, direct, groups, users } }: { member: Member }) {
  const { t } = useTranslation("virtual_cluster_management");
  if (kind === "group") return t("how_group", { count: users });
  return (
    <div>
      {direct && <div>{t("how_direct")}</div>}
      {groups.length > 0 && (
        <div className="row">
          {t("how_through")} <GroupLinks groups={groups} />
        </div>
      )}
    </div>
  );
}
