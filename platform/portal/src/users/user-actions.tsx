import { useQueryClient } from "@tanstack/react-query";
import { Button, Checkbox, Dropdown, Modal } from "antd";
import { CircleCheck, CirclePause, Ellipsis, KeyRound, LogOut } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { CodeBlock } from "@/elements/code";
import { useFailures } from "@/elements/failures";
import { useFeedback } from "@/elements/feedback";
import { useSession } from "@/identity/session";
import type { Account } from "./query";

type Action = "disable" | "enable" | "reset_password" | "end_sessions";

/** What may be done to an account; each is asked for once more and tells what becomes of the user's work. */
export function UserActions({ account }: { account: Account }) {
  const { t } = useTranslation("users");
  const { ask, message } = useFeedback();
  const failures = useFailures();
  const queries = useQueryClient();
  const own = useSession().user.id === account.id;
  const [busy, setBusy] = useState(false);
  const [disabling, setDisabling] = useState(false);
  const [oneTime, setOneTime] = useState<string>();
  const { name } = account;
  // What was looked at is what is changed: the server refuses when somebody else was quicker.
  const params = { path: { user_id: account.id }, header: { "if-match": `"${account.version}"` } };

  async function act(action: Action, work: () => Promise<unknown>) {
    const key = `users/${account.id}/${action}`;
    setBusy(true);
    try {
      await work();
      failures.settle(key);
      message.success(t(`done_${action}`, { name }));
    } catch (error) {
      failures.tell({ key, title: t(`failed_${action}`, { name }), error, retry: () => act(action, work) });
    } finally {
      setBusy(false);
      queries.invalidateQueries({ queryKey: ["users"] });
    }
  }

  const disable = (stop_tasks: boolean) =>
    act("disable", () => body(api.POST("/api/v1/users/{user_id}/disable", { params, body: { stop_tasks } })));
  const enable = () => act("enable", () => body(api.POST("/api/v1/users/{user_id}/enable", { params })));

  function resetPassword() {
    ask({
      title: t("reset_password_question", { name }),
      content: t("reset_password_means"),
      okText: t("reset_password"),
      danger: true,
      onOk: () =>
        act("reset_password", async () => {
          const given = await body(api.POST("/api/v1/users/{user_id}/reset-password", { params }));
          setOneTime(given.password);
        }),
    });
  }

  function endSessions() {
    ask({
      title: t("end_sessions_question", { name }),
      content: t("end_sessions_means"),
      okText: t("end_sessions"),
      danger: true,
      onOk: () => act("end_sessions", () => body(api.POST("/api/v1/users/{user_id}/end-sessions", { params }))),
    });
  }

  const items = [
    !own && {
      key: "reset_password",
      icon: <KeyRound size={14} aria-hidden />,
      label: t("reset_password"),
      onClick: resetPassword,
    },
    { key: "end_sessions", icon: <LogOut size={14} aria-hidden />, label: t("end_sessions"), onClick: endSessions },
    account.active
      ? {
          key: "disable",
          danger: true,
          icon: <CirclePause size={14} aria-hidden />,
          label: t("disable"),
          onClick: () => setDisabling(true),
        }
      : { key: "enable", icon: <CircleCheck size={14} aria-hidden />, label: t("enable"), onClick: enable },
  ].filter((item) => typeof item === "object");

  return (
    <>
      <Dropdown trigger={["click"]} placement="bottomRight" menu={{ items }}>
        <Button
          type="text"
          size="small"
          loading={busy}
          icon={<Ellipsis size={15} aria-hidden />}
          aria-label={t("actions_named", { name })}
          aria-haspopup="menu"
        />
      </Dropdown>
      {disabling && <DisableDialog account={account} disable={disable} onClose={() => setDisabling(false)} />}
      {oneTime !== undefined && (
        <OneTimePassword name={name} password={oneTime} onClose={() => setOneTime(undefined)} />
      )}
    </>
  );
}

function DisableDialog({
  account,
  disable,
  onClose,
}: {
  account: Account;
  disable: (stopTasks: boolean) => Promise<void>;
  onClose: () => void;
}) {
  const { t } = useTranslation("users");
  const [stop, setStop] = useState(false);
  const [busy, setBusy] = useState(false);
  async function confirm() {
    setBusy(true);
    await disable(stop);
    onClose();
  }
  return (
    <Modal
      open
      width={440}
      title={t("disable_question", { name: account.name })}
      okText={t("disable")}
      okButtonProps={{ danger: true }}
      confirmLoading={busy}
      onOk={confirm}
      onCancel={onClose}
    >
      <p>{t("disable_means")}</p>
      {account.unfinished_tasks > 0 && (
        <>
          <p>{t("disable_tasks", { count: account.unfinished_tasks })}</p>
          <Checkbox checked={stop} onChange={(event) => setStop(event.target.checked)}>
            {t("stop_tasks")}
          </Checkbox>
        </>
      )}
    </Modal>
  );
}

/** It is shown this once: nobody can read it again. */
function OneTimePassword({ name, password, onClose }: { name: string; password: string; onClose: () => void }) {
  const { t } = useTranslation("users");
  return (
    <Modal
      open
      width={440}
      title={t("one_time_title", { name })}
      maskClosable={false}
      keyboard={false}
      closable={false}
      footer={
        <Button type="primary" onClick={onClose}>
          {t("one_time_read")}
        </Button>
      }
    >
      <p>{t("one_time_means")}</p>
      <CodeBlock text={password} label={t("one_time_label")} />
    </Modal>
  );
}
