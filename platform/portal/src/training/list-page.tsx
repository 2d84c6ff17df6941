import { useTranslation } from "react-i18next";
import { useKind } from "@/features/registry";
import { TaskListPage } from "@/tasks/list/list-page";

export function TrainingListPage() {
  const { t } = useTranslation("training");
  const kind = useKind("training");
  const words = { title: t("title"), purpose: t("purpose"), empty: t("empty"), first: t("empty_first") };
  return kind && <TaskListPage kind={kind} words={words} />;
}
