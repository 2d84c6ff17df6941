import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { Tag } from "@/elements/tag";
import { useReason } from "@/words/told";
import { STATES, type TaskState, UNKNOWN, WAITING } from "./states";
import "./state-tag.css";

export function StateTag({ state }: { state: TaskState }) {
  const { t } = useTranslation("tasks");
  const look = STATES[state] ?? UNKNOWN;
  return (
    <Tag tone={look.tone} icon={look.icon} turns={look.turns}>
      {t(`state.${state}`)}
    </Tag>
  );
}

/** A state and, where the server gives one, the reason below it. */
export function StateWithReason({ state, reason }: { state: TaskState; reason: Schemas["Reason"] | null }) {
  const words = useReason();
  const shown = reason && (WAITING.includes(state) || state === "failed" || state === "error") ? words(reason) : "";
  return (
    <div className="state-cell">
      <StateTag state={state} />
      {shown && (
        <span className="state-reason task-reason" title={shown}>
          {shown}
        </span>
      )}
    </div>
  );
}
