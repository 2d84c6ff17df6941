import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useRoleName } from "@/identity/role-name";
import { Choice, GROUPS, useRoleSource } from "@/people/choice";
import { groupQuery, roleQuery } from "@/people/queries";

interface FilterProps {
  value: string | undefined;
  onChange: (chosen: string | undefined) => void;
}

/** Users with a role of their own, found by a few letters. */
export function RoleFilter({ value, onChange }: FilterProps) {
  const { t } = useTranslation("users");
  const roleName = useRoleName();
  const chosen = useQuery({ ...roleQuery(value ?? ""), enabled: value !== undefined });
  return (
    <Choice
      className="people-choice"
      source={useRoleSource()}
      value={value}
      known={chosen.data && roleName(chosen.data)}
      placeholder={t("filter_role")}
      aria-label={t("filter_role")}
      onChange={onChange}
    />
  );
}

/** Users of a group. */
export function GroupFilter({ value, onChange }: FilterProps) {
  const { t } = useTranslation("users");
  const chosen = useQuery({ ...groupQuery(value ?? ""), enabled: value !== undefined });
  return (
    <Choice
      className="people-choice"
      source={GROUPS}
      value={value}
      known={chosen.data?.name}
      placeholder={t("filter_group")}
      aria-label={t("filter_group")}
      onChange={onChange}
    />
  );
}
