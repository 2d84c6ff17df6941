import { CircleCheck, CirclePause, Hourglass, KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Tag } from "@/elements/tag";
import type { Account } from "@/people/queries";

/** Whether somebody may sign in; that the tasks of a disabled user go on is said beside it. */
export function AccountState({ account }: { account: Account }) {
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
  if (account.roles.length + account.groups.length === 0)
    return (
      <Tag tone="warning" icon={Hourglass}>
        {t("filter_waiting")}
      </Tag>
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
