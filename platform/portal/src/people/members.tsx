import { type UseInfiniteQueryResult, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Button, Tooltip } from "antd";
import { Plus, X } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFailures } from "@/elements/failures";
import { useFeedback } from "@/elements/feedback";
import { Panel } from "@/elements/page";
import { Answer } from "@/elements/states";
import { type Column, Table } from "@/elements/table";
import { More } from "./list";
import { PEOPLE } from "./queries";

const AddDialog = lazy(() => import("./add-dialog"));

interface Member {
  id: string;
  name: string;
  nickname?: string;
}

interface MembersProps {
  /** What they are. */
  of: "users" | "groups";
  /** Whose they are: the name of the group or role. */
  owner: string;
  query: UseInfiniteQueryResult<{ pages: { items: Member[] }[] }>;
  /** What may be done; without it they are only shown. */
  change?: { add: (ids: string[]) => Promise<unknown>; remove: (id: string) => Promise<unknown> };
}

/** Who belongs to a group or has a role; adding by a few letters, taking out asks first. */
export function Members({ of, owner, query, change }: MembersProps) {
  const { t } = useTranslation("people");
  const [adding, setAdding] = useState(false);
  const columns: Column<Member>[] = [
    {
      key: "name",
      title: t(`member_${of}`),
      render: ({ id, name }) => (
        <Link to={of === "users" ? "/users/$id" : "/groups/$id"} params={{ id }} className="people-name">
          {name}
        </Link>
      ),
    },
    ...(of === "users"
      ? [{ key: "nickname", title: t("nickname"), render: ({ nickname }: Member) => nickname || "–" }]
      : []),
    ...(change
      ? [
          {
            key: "actions",
            title: <span className="visually-hidden">{t("actions")}</span>,
            width: 56,
            align: "right" as const,
            render: (member: Member) => <Remove member={member} of={of} owner={owner} remove={change.remove} />,
          },
        ]
      : []),
  ];
  return (
    <Panel
      className="flush"
      title={t(of)}
      extra={
        change && (
          <Button size="small" icon={<Plus size={14} aria-hidden />} onClick={() => setAdding(true)}>
            {t(`add_${of}`)}
          </Button>
        )
      }
    >
      <Answer query={query} rows={4}>
        {({ pages }) => (
          <>
            <Table
              keyOf={({ id }) => id}
              rows={pages.flatMap((page) => page.items)}
              columns={columns}
              empty={t(`no_${of}`)}
            />
            <More query={query} />
          </>
        )}
      </Answer>
      <Suspense>
        {adding && change && <AddDialog of={of} owner={owner} add={change.add} onClose={() => setAdding(false)} />}
      </Suspense>
    </Panel>
  );
}

function Remove({
  member,
  of,
  owner,
  remove,
}: {
  member: Member;
  of: MembersProps["of"];
  owner: string;
  remove: (id: string) => Promise<unknown>;
}) {
  const { t } = useTranslation("people");
  const { ask, message } = useFeedback();
  const failures = useFailures();
  const queries = useQueryClient();
  const { name } = member;
  const key = `people/${owner}/${member.id}`;
  async function act() {
    try {
      await remove(member.id);
      failures.settle(key);
      message.success(t("removed", { name, owner }));
    } catch (error) {
      failures.tell({ key, title: t("remove_failed", { name, owner }), error, retry: act });
    } finally {
      queries.invalidateQueries({ queryKey: PEOPLE });
    }
  }
  return (
    <Tooltip title={t("remove")}>
      <Button
        type="text"
        size="small"
        icon={<X size={15} aria-hidden />}
        aria-label={t("remove_named", { name })}
        onClick={() =>
          ask({
            title: t("remove_question", { name, owner }),
            content: t(`remove_means_${of}`),
            okText: t("remove"),
            danger: true,
            onOk: act,
          })
        }
      />
    </Tooltip>
  );
}
