import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Lock } from "lucide-react";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { refreshMs } from "@/api/refresh";
import { Fact, Facts } from "@/elements/facts";
import { Page, Panel } from "@/elements/page";
import { Answer } from "@/elements/states";
import { Tag } from "@/elements/tag";
import { Moment } from "@/elements/time";
import { useMay } from "@/identity/session";
import { type Account, userQuery } from "@/people/queries";
import { GroupLinks, RoleLinks } from "@/people/role-links";
import { AccountState } from "./account-state";
import { UserActions } from "./user-actions";
import { UserWays } from "./user-ways";

const UserTokens = lazy(() => import("./user-tokens"));

/** One account: who it is, what it may do by which roles and groups, and what may be done to it. */
export function UserPage() {
  const { t } = useTranslation("users");
  const { id = "" } = useParams({ strict: false });
  const query = useQuery({ ...userQuery(id), refetchInterval: refreshMs });
  const navigate = useNavigate();
  const may = useMay();
  const account = query.data;
  return (
    <Page
      title={account ? account.name : t("one")}
      crumbs={[{ to: "/users", label: t("title") }]}
      aside={account && <AccountState account={account} />}
      purpose={account?.nickname}
      actions={
        account &&
        may("users:manage") && (
          <UserActions account={account} onDeleted={() => navigate({ to: "/users", search: {} })} />
        )
      }
    >
      <Answer query={query} rows={8}>
        {(data) => <Known account={data} />}
      </Answer>
    </Page>
  );
}

function Known({ account }: { account: Account }) {
  const { t } = useTranslation("users");
  const clusters = account.virtual_clusters.map(({ name }) => name).join(", ");
  return (
    <div className="people-detail">
      {account.protected && (
        <p>
          <Tag tone="info" icon={Lock}>
            {t("protected")}
          </Tag>{" "}
          <span className="quiet">{t("protected_why")}</span>
        </p>
      )}
      <Panel title={t("information")}>
        <Facts>
          <Fact name={t("name")}>{account.name}</Fact>
          <Fact name={t("nickname")}>{account.nickname || "–"}</Fact>
          <Fact name={t("phone")}>
            <span className="tabular">{account.phone || "–"}</span>
          </Fact>
          <Fact name={t("email")}>{account.email || "–"}</Fact>
          <Fact name={t("created")}>
            <Moment at={account.created_at} />
          </Fact>
          <Fact name={t("home")}>
            <span className="mono">{account.home}</span>
          </Fact>
          <Fact name={t("uid")}>
            <span className="tabular">{account.uid}</span>
          </Fact>
        </Facts>
      </Panel>
      <Panel title={t("rights")}>
        <Facts>
          <Fact name={t("roles")}>
            <RoleLinks roles={account.roles} />
          </Fact>
          <Fact name={t("groups")}>
            <GroupLinks groups={account.groups} />
          </Fact>
          <Fact name={t("virtual_clusters")}>{clusters || t("no_virtual_cluster")}</Fact>
        </Facts>
      </Panel>
      <UserWays account={account} />
      <Panel title={t("activity")}>
        <Facts>
          <Fact name={t("sessions")}>
            <span className="tabular">{account.sessions}</span>
          </Fact>
          <Fact name={t("tasks")}>
            <span className="tabular">{account.unfinished_tasks}</span>
          </Fact>
          <Fact name={t("access_tokens")}>
            <span className="tabular">{account.access_tokens}</span>
          </Fact>
        </Facts>
      </Panel>
      <Suspense>
        <UserTokens id={account.id} />
      </Suspense>
    </div>
  );
}
