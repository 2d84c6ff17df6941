import { useTranslation } from "react-i18next";
import { Fact } from "@/elements/facts";
import { deviceName } from "@/formats/devices";
import { commandText } from "@/tasks/as-code";
import { imageName } from "@/tasks/image-name";
import type { Task } from "@/tasks/queries";
import { definitionOf } from "./form";

/** What a training was asked for, in words. */
export default function TrainingFacts({ task }: { task: Task }) {
  const { t } = useTranslation(["training", "tasks"]);
  const definition = definitionOf(task);
  const own = definition.framework === null;
  return (
    <>
      {definition.description && (
        <Fact name={t("field_description")} wide>
          {definition.description}
        </Fact>
      )}
      {own ? (
        <Fact name={t("field_image")}>
          <span className="mono" title={definition.image}>
            {imageName(definition.image)}
          </span>
        </Fact>
      ) : (
        <Fact name={t("field_framework")}>{definition.framework}</Fact>
      )}
      <Fact name={t("field_devices")}>
        {definition.devices > 0
          ? `${definition.nodes * definition.devices} × ${deviceName(definition.device_type)}`
          : t("cpu_only")}
      </Fact>
      <Fact name={t("field_nodes")}>{definition.nodes}</Fact>
      <Fact name={t("estimate.limit")}>{t("estimate.cpu_memory", definition.limits)}</Fact>
      {task.privileged && <Fact name={t("field_privileged")}>{t("privileged_yes")}</Fact>}
      <Fact name={own ? t("tasks:definition_command") : t("field_code_directory")}>
        <span className="mono">
          {own ? commandText(definition.command) : `${definition.code_directory}/${definition.start_file}`}
        </span>
      </Fact>
    </>
  );
}
