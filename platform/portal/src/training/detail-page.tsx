import { useTranslation } from "react-i18next";
import { useKind } from "@/features/registry";
import { TaskDetailPage } from "@/tasks/detail/detail-page";

export function TrainingDetailPage() {
  const { t } = useTranslation("training");
  const kind = useKind("training");
  return kind && <TaskDetailPage kind={kind} title={t("title")} />;
}
