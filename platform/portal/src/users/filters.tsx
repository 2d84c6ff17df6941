import { useQuery } from "@tanstack/react-query";
import { Segmented } from "antd";
import { useTranslation } from "react-i18next";
import { useRoleName } from "@/identity/role-name";
import { useMay } from "@/identity/session";
import { Choice, GROUPS, useRoleSource } from "@/people/choice";
import { WordsFilter } from "@/people/list";
import { groupQuery, roleQuery, type UserFilters } from "@/people/queries";

const STATES = ["all", "active", "disabled", "waiting"] as const;

/** Each state as the filters that stand for it. */
const AS_FILTERS = {
  all: { active: undefined, waiting: undefined },
  active: { active: true, waiting: undefined },
  disabled: { active: false, waiting: undefined },
  waiting: { active: undefined, waiting: true },
} as const satisfies Record<(typeof STATES)[number], UserFilters>;

function stateOf({ active, waiting }: UserFilters): (typeof STATES)[number] {
  if (waiting) return "waiting";
  return active === undefined ? "all" : active ? "active" : "disabled";
}

/** Which users the list has; it stands in the address. */
export function Filters({ filters, change }: { filters: UserFilters; change: (part: UserFilters) => void }) {
  const { t } = useTranslation("users");
  const may = useMay();
  return (
    <search className="people-filters">
      <WordsFilter label={t("words")} value={filters.words} onChange={(words) => change({ words })} />
      <Segmented
        aria-label={t("state")}
        value={stateOf(filters)}
        onChange={(chosen) => change(AS_FILTERS[chosen])}
        options={STATES.map((each) => ({ value: each, label: t(`filter_${each}`) }))}
      />
      {may("roles:read") && <RoleFilter value={filters.role} onChange={(role) => change({ role })} />}
      {may("groups:read") && <GroupFilter value={filters.group} onChange={(group) => change({ group })} />}
    </search>
  );
}

interface FilterProps {
  value: string | undefined;
  onChange: (chosen: string | undefined) => void;
}

function RoleFilter({ value, onChange }: FilterProps) {
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

function GroupFilter({ value, onChange }: FilterProps) {
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
