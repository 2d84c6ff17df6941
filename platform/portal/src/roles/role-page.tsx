import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { refreshMs } from "@/api/refresh";
import { Fact, Facts } from "@/elements/facts";
import { Page, Panel } from "@/elements/page";
import { Answer } from "@/elements/states";
import { Moment } from "@/elements/time";
import { useRoleName } from "@/identity/role-name";
import { useMay } from "@/identity/session";
import { useGrantWords } from "@/people/grant-words";
import { Members } from "@/people/members";
import { type Role, roleGroupsQuery, roleQuery, roleUsersQuery } from "@/people/queries";
import { useRoleDescription } from "@/people/role-choice";
import { RoleActions } from "./role-actions";
import { RoleType } from "./role-type";
import "./roles.css";

/** One role: what it lets its holders do, and who they are. */
export function RolePage() {
  const { t } = useTranslation("roles");
  const { id = "" } = useParams({ strict: false });
  const query = useQuery({ ...roleQuery(id), refetchInterval: refreshMs });
  const navigate = useNavigate();
  const may = useMay();
  const roleName = useRoleName();
  const role = query.data;
  return (
    <Page
      title={role ? roleName(role) : t("one")}
      crumbs={[{ to: "/roles", label: t("title") }]}
      aside={role && <RoleType preset={role.preset} />}
      purpose={role?.preset ? t("preset_why") : t("one_purpose")}
      actions={
        role &&
        may("roles:manage") && <RoleActions role={role} onDeleted={() => navigate({ to: "/roles", search: {} })} />
      }
    >
      <Answer query={query} rows={8}>
        {(data) => (
          <div className="people-detail">
            <Information role={data} />
            <Grants role={data} />
            <Users role={data} />
            <Groups role={data} />
          </div>
        )}
      </Answer>
    </Page>
  );
}

function Information({ role }: { role: Role }) {
  const { t } = useTranslation("roles");
  const roleName = useRoleName();
  const description = useRoleDescription();
  return (
    <Panel title={t("information")}>
      <Facts>
        <Fact name={t("name")}>{roleName(role)}</Fact>
        {!role.preset && (
          <Fact name={t("created")}>
            <Moment at={role.created_at} />
          </Fact>
        )}
        <Fact name={t("description")} wide>
          {description(role)}
        </Fact>
      </Facts>
    </Panel>
  );
}

function Grants({ role }: { role: Role }) {
  const { t } = useTranslation("roles");
  const words = useGrantWords();
  return (
    <Panel title={t("permissions")}>
      <ul className="role-grants">
        {role.grants.map((name) => (
          <li key={name}>
            <Check size={14} aria-hidden />
            {words(name)}
          </li>
        ))}
      </ul>
      {role.permissions.length > role.grants.length && (
        <details className="permission-finer">
          <summary>{t("comes_to", { count: role.permissions.length })}</summary>
          <ul className="role-grants">
            {role.permissions.map((name) => (
              <li key={name}>
                <Check size={14} aria-hidden />
                <span>
                  {words(name)} <code className="quiet">{name}</code>
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Panel>
  );
}

function Users({ role }: { role: Role }) {
  const may = useMay();
  const name = useRoleName()(role);
  const query = useInfiniteQuery(roleUsersQuery(role.id));
  const path = { role_id: role.id };
  return (
    <Members
      of="users"
      owner={name}
      query={query}
      change={
        may("roles:manage")
          ? {
              add: (users) => body(api.POST("/api/v1/roles/{role_id}/users", { params: { path }, body: { users } })),
              remove: (user) =>
                body(
                  api.DELETE("/api/v1/roles/{role_id}/users/{user_id}", {
                    params: { path: { ...path, user_id: user } },
                  }),
                ),
            }
          : undefined
      }
    />
  );
}

function Groups({ role }: { role: Role }) {
  const may = useMay();
  const name = useRoleName()(role);
  const query = useInfiniteQuery(roleGroupsQuery(role.id));
  const path = { role_id: role.id };
  return (
    <Members
      of="groups"
      owner={name}
      query={query}
      change={
        may("roles:manage")
          ? {
              add: (groups) => body(api.POST("/api/v1/roles/{role_id}/groups", { params: { path }, body: { groups } })),
              remove: (group) =>
                body(
                  api.DELETE("/api/v1/roles/{role_id}/groups/{group_id}", {
                    params: { path: { ...path, group_id: group } },
                  }),
                ),
            }
          : undefined
      }
    />
  );
}
