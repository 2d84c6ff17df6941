import { Link } from "@tanstack/react-router";
import { Box, BrainCircuit, ChevronRight, Code, Database, Rocket } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Panel } from "@/elements/page";
import { entriesOf, pageAt } from "@/features/menu";
import type { Place } from "@/features/places";
import { useFeatures } from "@/features/registry";
import { useMenu } from "@/identity/menu";
import "./flow.css";

/** The order of use that the manual recommends, and the list to which each step leads. */
export const WAY = [
  { name: "code", icon: Code, place: "code_development" },
  { name: "data", icon: Database, place: "data_management/dataset_management" },
  { name: "train", icon: BrainCircuit, place: "model_training/training_list" },
  { name: "models", icon: Box, place: "model_management/my_models" },
  { name: "infer", icon: Rocket, place: "inference_service/central_inference" },
] as const satisfies readonly { name: string; icon: typeof Code; place: Place }[];

/** The way through the platform. A step whose list is not there, or not for this person, says so and leads nowhere. */
export function Flow() {
  const { t } = useTranslation("overview");
  const there = entriesOf(useFeatures());
  const mine = useMenu();
  return (
    <Panel title={t("flow")}>
      <ol className="flow">
        {WAY.map(({ name, icon: Icon, place }, index) => {
          const page = pageAt(mine, place);
          return (
            <li key={name} className={page ? undefined : "flow-closed"}>
              <span className="flow-icon">
                <Icon size={16} aria-hidden />
              </span>
              <div>
                {page ? <Link to={page.to}>{t(`flow_${name}`)}</Link> : <strong>{t(`flow_${name}`)}</strong>}
                <p className="quiet">{t(`flow_${name}_why`)}</p>
                {!page && <p className="flow-note">{t(pageAt(there, place) ? "flow_not_yours" : "flow_not_here")}</p>}
              </div>
              {index < WAY.length - 1 && <ChevronRight className="flow-arrow" size={16} aria-hidden />}
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
