import { Segmented } from "antd";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "@/identity/session";
import { WordsFilter } from "@/people/list";
import type { UserFilters } from "@/people/queries";

const RoleFilter = lazy(async () => ({ default: (await import("./choice-filters")).RoleFilter }));
const GroupFilter = lazy(async () => ({ default: (await import("./choice-filters")).GroupFilter }));

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
      <Suspense fallback={<span className="people-choice" aria-busy="true" />}>
        {may("roles:read") && <RoleFilter value={filters.role} onChange={(role) => change({ role })} />}
        {may("groups:read") && <GroupFilter value={filters.group} onChange={(group) => change({ group })} />}
      </Suspense>
    </search>
  );
}
