import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Button } from "antd";
import { ShieldCheck } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { refreshMs } from "@/api/refresh";
import { Fact, Facts } from "@/elements/facts";
import { Page, Panel } from "@/elements/page";
import { Answer } from "@/elements/states";
import { Moment } from "@/elements/time";
import { useMay } from "@/identity/session";
import { Members } from "@/people/members";
import { type Group, groupQuery, groupUsersQuery } from "@/people/queries";
import { RoleLinks } from "@/people/role-links";
import { GroupActions } from "./group-actions";

const RolesDialog = lazy(() => import("./group-roles-dialog"));

/** One group: what it is, its roles and its users. */
export function GroupPage() {
  const { t } = useTranslation("groups");
  const { id = "" } = useParams({ strict: false });
  const query = useQuery({ ...groupQuery(id), refetchInterval: refreshMs });
  const navigate = useNavigate();
  const may = useMay();
  const group = query.data;
  return (
    <Page
      title={group ? group.name : t("one")}
      crumbs={[{ to: "/groups", label: t("title") }]}
      purpose={t("one_purpose")}
      actions={
        group &&
        may("groups:manage") && <GroupActions group={group} onDeleted={() => navigate({ to: "/groups", search: {} })} />
      }
    >
      <Answer query={query} rows={8}>
        {(data) => (
          <div className="people-detail">
            <Information group={data} />
            <Roles group={data} />
            <Users group={data} />
          </div>
        )}
      </Answer>
    </Page>
  );
}

function Information({ group }: { group: Group }) {
  const { t } = useTranslation("groups");
  const clusters = group.virtual_clusters.map(({ name }) => name).join(", ");
  return (
    <Panel title={t("information")}>
      <Facts>
        <Fact name={t("name")}>{group.name}</Fact>
        <Fact name={t("created")}>
          <Moment at={group.created_at} />
        </Fact>
        <Fact name={t("virtual_clusters")}>{clusters || "–"}</Fact>
        <Fact name={t("description")} wide>
          {group.description}
        </Fact>
      </Facts>
    </Panel>
  );
}

function Roles({ group }: { group: Group }) {
  const { t } = useTranslation("groups");
  const may = useMay();
  const [editing, setEditing] = useState(false);
  return (
    <Panel
      title={t("roles")}
      extra={
        may("groups:manage") && (
          <Button size="small" icon={<ShieldCheck size={14} aria-hidden />} onClick={() => setEditing(true)}>
            {t("edit_roles")}
          </Button>
        )
      }
    >
      <RoleLinks roles={group.roles} />
      <Suspense>{editing && <RolesDialog group={group} onClose={() => setEditing(false)} />}</Suspense>
    </Panel>
  );
}

function Users({ group: { id, name } }: { group: Group }) {
  const may = useMay();
  const query = useInfiniteQuery(groupUsersQuery(id));
  const path = { group_id: id };
  return (
    <Members
      of="users"
      owner={name}
      query={query}
      change={
        may("groups:manage")
          ? {
              add: (users) => body(api.POST("/api/v1/groups/{group_id}/users", { params: { path }, body: { users } })),
              remove: (user) =>
                body(
                  api.DELETE("/api/v1/groups/{group_id}/users/{user_id}", {
                    params: { path: { ...path, user_id: user } },
                  }),
                ),
            }
          : undefined
      }
    />
  );
}
