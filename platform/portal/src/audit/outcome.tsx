import { CircleCheck, CircleX, type LucideIcon, ShieldX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Tag } from "@/elements/tag";
import type { AuditRecord } from "./query";

const LOOKS = {
  done: { tone: "success", icon: CircleCheck },
  denied: { tone: "warning", icon: ShieldX },
  failed: { tone: "danger", icon: CircleX },
} as const satisfies Record<AuditRecord["outcome"], { tone: string; icon: LucideIcon }>;

/** What became of it, and how often where one record stands for several. */
export function Outcome({ record: { outcome, details } }: { record: AuditRecord }) {
  const { t } = useTranslation("audit");
  const times = typeof details.times === "number" ? details.times : 1;
  return (
    <span className="audit-outcome">
      <Tag {...LOOKS[outcome]}>{t(`outcome_${outcome}`)}</Tag>
      {times > 1 && <span className="quiet tabular nowrap">{t("times", { count: times })}</span>}
    </span>
  );
}
