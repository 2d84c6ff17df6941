import { Ban, Eye, Hourglass } from "lucide-react";
import { useTranslation } from "react-i18next";
import { api, body, type Schemas } from "@/api/client";
import { useFailures } from "@/elements/failures";
import { useFeedback } from "@/elements/feedback";
import { type Column, Table } from "@/elements/table";
import { Tag } from "@/elements/tag";
import { Moment, useNow } from "@/elements/time";
import { Action } from "./action";
import { useGrantWords } from "./grant-words";
import "./people.css";

export type AccessToken = Schemas["AccessToken"];

/** So many single permissions are named; of more their number is told. */
const NAMED = 3;

/** Access tokens of one person; `end` is given to whom may end them. */
export function TokenTable({ tokens, end }: { tokens: readonly AccessToken[]; end?: (token: AccessToken) => void }) {
  const { t } = useTranslation("people");
  const now = useNow();
  const scope = useScope();
  const columns: Column<AccessToken>[] = [
    {
      key: "name",
      title: t("token_name"),
      render: (token) => (
        <span className="token-name">
          <span className="people-name">{token.name}</span>
          {token.read_only && (
            <Tag tone="info" icon={Eye}>
              {t("token_reads_only")}
            </Tag>
          )}
        </span>
      ),
    },
    { key: "scope", title: t("token_scope"), render: (token) => <span>{scope(token)}</span> },
    {
      key: "ends",
      title: t("token_ends"),
      width: 150,
      render: ({ expires_at }) =>
        Date.parse(expires_at) > now ? (
          <Moment at={expires_at} />
        ) : (
          <Tag tone="warning" icon={Hourglass}>
            {t("token_over")}
          </Tag>
        ),
    },
    {
      key: "used",
      title: t("token_used"),
      width: 190,
      render: ({ last_used_at, last_used_address }) =>
        last_used_at ? (
          <span className="token-used">
            <Moment at={last_used_at} /> <span className="mono quiet">{last_used_address}</span>
          </span>
        ) : (
          <span className="quiet">{t("token_never_used")}</span>
        ),
    },
  ];
  if (end) {
    columns.push({
      key: "actions",
      title: <span className="visually-hidden">{t("actions")}</span>,
      width: 60,
      align: "right",
      fixed: true,
      render: (token) => (
        <Action
          icon={Ban}
          compact
          words={t("token_end")}
          label={t("token_end_named", { name: token.name })}
          onClick={() => end(token)}
        />
      ),
    });
  }
  return <Table rows={tokens} columns={columns} keyOf={({ id }) => id} />;
}

/** What a token opens, in few words. */
function useScope(): (token: AccessToken) => string {
  const { t } = useTranslation("people");
  const words = useGrantWords();
  return ({ grants }) =>
    grants.length > NAMED ? t("token_permissions", { count: grants.length }) : grants.map(words).join(", ");
}

/** Asks before a token is ended, whosever it is, and tells what became of it. `owner`: of another user. */
export function useEndToken(ended: () => void, owner?: string): (token: AccessToken) => void {
  const { t } = useTranslation("people");
  const { ask, message } = useFeedback();
  const failures = useFailures();

  async function end(token: AccessToken): Promise<void> {
    const key = `access-tokens/${token.id}`;
    try {
      await body(
        owner === undefined
          ? api.DELETE("/api/v1/access-tokens/{token_id}", { params: { path: { token_id: token.id } } })
          : api.DELETE("/api/v1/users/{user_id}/access-tokens/{token_id}", {
              params: { path: { user_id: owner, token_id: token.id } },
            }),
      );
      failures.settle(key);
      message.success(t("token_ended", { name: token.name }));
    } catch (error) {
      failures.tell({ key, title: t("token_end_failed", { name: token.name }), error, retry: () => end(token) });
    } finally {
      ended();
    }
  }

  return (token) =>
    ask({
      title: t("token_end_question", { name: token.name }),
      content: t("token_end_means"),
      okText: t("token_end"),
      danger: true,
      onOk: () => end(token),
    });
}
