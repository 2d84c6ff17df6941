import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "antd";
import { LogOut, MonitorCheck } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useFailures } from "@/elements/failures";
import { useFeedback } from "@/elements/feedback";
import { Panel } from "@/elements/page";
import { Answer } from "@/elements/states";
import { type Column, Table } from "@/elements/table";
import { Tag } from "@/elements/tag";
import { Moment } from "@/elements/time";
import { useSignOut } from "@/identity/sign-out";
import { Action } from "@/people/action";
import { type OwnSession, sessionsQuery } from "./queries";

/** Where the account is signed in; each may be ended, and all others at once. */
export function Sessions() {
  const { t } = useTranslation("account");
  const query = useQuery(sessionsQuery);
  const { end, endOthers } = useEnding();
  const others = query.data?.items.some(({ current }) => !current);
  return (
    <Panel
      title={t("sessions")}
      className="flush"
      extra={
        others && (
          <Button size="small" icon={<LogOut size={14} aria-hidden />} onClick={endOthers}>
            {t("end_others")}
          </Button>
        )
      }
    >
      <p className="account-hint">{t("sessions_mean")}</p>
      <Answer query={query} rows={3}>
        {({ items }) => <SessionTable sessions={items} end={end} />}
      </Answer>
    </Panel>
  );
}

/** The one at the screen first; of the others, those that were seen last. */
function inOrder(sessions: readonly OwnSession[]): OwnSession[] {
  return sessions.toSorted(
    (one, other) => Number(other.current) - Number(one.current) || other.last_seen_at.localeCompare(one.last_seen_at),
  );
}

function SessionTable({ sessions, end }: { sessions: readonly OwnSession[]; end: (session: OwnSession) => void }) {
  const { t } = useTranslation("account");
  const signOut = useSignOut();
  const rows = useMemo(() => inOrder(sessions), [sessions]);
  const columns: Column<OwnSession>[] = [
    {
      key: "device",
      title: t("device"),
      render: ({ device, current }) => (
        <span className="account-device">
          {device || t("device_unknown")}
          {current && (
            <Tag tone="primary" icon={MonitorCheck}>
              {t("current")}
            </Tag>
          )}
        </span>
      ),
    },
    {
      key: "address",
      title: t("address"),
      render: ({ address }) => <span className="mono">{address || "–"}</span>,
      width: 160,
    },
    { key: "since", title: t("since"), render: ({ created_at }) => <Moment at={created_at} />, width: 150 },
    { key: "seen", title: t("seen"), render: ({ last_seen_at }) => <Moment at={last_seen_at} />, width: 150 },
    {
      key: "actions",
      title: <span className="visually-hidden">{t("actions")}</span>,
      width: 60,
      align: "right",
      fixed: true,
      render: (session) => (
        <Action
          icon={LogOut}
          compact
          words={session.current ? t("sign_out") : t("end")}
          label={session.current ? t("sign_out") : t("end_named", { name: session.device || t("device_unknown") })}
          onClick={session.current ? signOut : () => end(session)}
        />
      ),
    },
  ];
  return <Table rows={rows} columns={columns} keyOf={({ id }) => id} />;
}

function useEnding() {
  const { t } = useTranslation("account");
  const { ask, message } = useFeedback();
  const failures = useFailures();
  const queries = useQueryClient();

  async function done(key: string, title: string, said: string, work: () => Promise<unknown>) {
    try {
      await work();
      failures.settle(key);
      message.success(said);
    } catch (error) {
      failures.tell({ key, title, error, retry: () => done(key, title, said, work) });
    } finally {
      queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    }
  }

  return {
    end: ({ id, device }: OwnSession) => {
      const name = device || t("device_unknown");
      const work = () => body(api.DELETE("/api/v1/sessions/{session_id}", { params: { path: { session_id: id } } }));
      return done(`sessions/${id}`, t("end_failed", { name }), t("ended", { name }), work);
    },
    endOthers: () =>
      ask({
        title: t("end_others_question"),
        content: t("end_others_means"),
        okText: t("end_others"),
        danger: true,
        onOk: () =>
          done("sessions/others", t("end_others_failed"), t("ended_others"), () =>
            body(api.POST("/api/v1/sessions/end-others")),
          ),
      }),
  };
}
