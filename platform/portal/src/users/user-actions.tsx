import { useQueryClient } from "@tanstack/react-query";
import { Button, Tooltip } from "antd";
import {
  CircleCheck,
  CirclePause,
  Ellipsis,
  KeyRound,
  Lock,
  LogOut,
  type LucideIcon,
  Pencil,
  ShieldCheck,
  Trash2,
  UsersRound,
} from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { MenuButton } from "@/appearance/menu-button";
import { useFailures } from "@/elements/failures";
import { useFeedback } from "@/elements/feedback";
import { LinkButton } from "@/elements/link-button";
import { useSession } from "@/identity/session";
import { Action } from "@/people/action";
import { type Account, ifMatch, PEOPLE } from "@/people/queries";

// Most people look at the list and change nothing.
const DIALOGS = {
  profile: lazy(() => import("./profile-dialog")),
  roles: lazy(() => import("./roles-dialog")),
  groups: lazy(() => import("./groups-dialog")),
  delete: lazy(() => import("./delete-dialog")),
  disable: lazy(() => import("./disable-dialog")),
};
const OneTimePassword = lazy(() => import("./one-time-password"));

type Dialog = keyof typeof DIALOGS;
type Deed = "enable" | "reset_password" | "end_sessions";

/** What may be done to an account: three things at hand, the rest under `…`. */
export function UserActions({
  account,
  compact = false,
  onDeleted,
}: {
  account: Account;
  compact?: boolean;
  onDeleted?: () => void;
}) {
  const { t } = useTranslation("users");
  const { ask, message } = useFeedback();
  const failures = useFailures();
  const queries = useQueryClient();
  const own = useSession().user.id === account.id;
  const [busy, setBusy] = useState(false);
  const [open, setOpen] = useState<Dialog>();
  const [oneTime, setOneTime] = useState<string>();
  const { name } = account;
  // What was looked at is what is changed: the server refuses when somebody else was quicker.
  const params = { path: { user_id: account.id }, header: ifMatch(account) };

  async function act(action: Deed, work: () => Promise<unknown>) {
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
      queries.invalidateQueries({ queryKey: PEOPLE });
    }
  }

  const enable = () => act("enable", () => body(api.POST("/api/v1/users/{user_id}/enable", { params })));

  function resetPassword() {
    ask({
      title: t("reset_password_question", { name }),
      content: t("reset_password_means", { name }),
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
    compact && {
      key: "profile",
      icon: <Pencil size={14} aria-hidden />,
      label: t("profile"),
      onClick: () => setOpen("profile"),
    },
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
          onClick: () => setOpen("disable"),
        }
      : { key: "enable", icon: <CircleCheck size={14} aria-hidden />, label: t("enable"), onClick: enable },
    !compact && {
      key: "delete",
      danger: true,
      icon: <Trash2 size={14} aria-hidden />,
      label: t("delete"),
      onClick: () => setOpen("delete"),
    },
  ].filter((item) => typeof item === "object");

  const at = (dialog: Dialog, icon: LucideIcon, words: string) => (
    <Action
      icon={icon}
      compact={compact}
      words={words}
      label={t("action_named", { action: words, name })}
      onClick={() => setOpen(dialog)}
    />
  );
  const Chosen = open && DIALOGS[open];

  return (
    <span className="people-actions">
      {account.protected ? (
        <>
          <Protected />
          {own ? (
            <LinkButton to="/password" search={{}} size={compact ? "small" : undefined}>
              {t("change_password")}
            </LinkButton>
          ) : (
            <Action
              icon={KeyRound}
              compact={compact}
              busy={busy}
              words={t("reset_password")}
              label={t("action_named", { action: t("reset_password"), name })}
              onClick={resetPassword}
            />
          )}
        </>
      ) : (
        <>
          {!compact && at("profile", Pencil, t("profile"))}
          {at("roles", ShieldCheck, t("edit_roles"))}
          {at("groups", UsersRound, t("edit_groups"))}
          {compact && at("delete", Trash2, t("delete"))}
          <MenuButton placement="bottomRight" menu={{ items }}>
            {(waiting) => (
              <Button
                type={compact ? "text" : "default"}
                size={compact ? "small" : "middle"}
                loading={busy}
                icon={<Ellipsis size={15} aria-hidden />}
                aria-label={t("actions_named", { name })}
                aria-haspopup="menu"
                disabled={waiting}
              />
            )}
          </MenuButton>
        </>
      )}
      <Suspense>
        {Chosen && (
          <Chosen
            account={account}
            onClose={(saved) => {
              setOpen(undefined);
              if (saved && open === "delete") onDeleted?.();
            }}
          />
        )}
        {oneTime !== undefined && (
          <OneTimePassword name={name} password={oneTime} onClose={() => setOneTime(undefined)} />
        )}
      </Suspense>
    </span>
  );
}

/** Why nothing but the password of this account can be changed: on hover, and for whoever comes by keyboard. */
function Protected() {
  const { t } = useTranslation("users");
  const why = t("protected_why");
  return (
    <Tooltip title={why} trigger={["hover", "focus"]}>
      <button type="button" className="icon-button" aria-label={why}>
        <Lock size={15} aria-hidden />
      </button>
    </Tooltip>
  );
}
