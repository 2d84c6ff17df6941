import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Button, Tooltip } from "antd";
import { CircleStop, Copy, Ellipsis, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { MenuButton } from "@/appearance/menu-button";
import { useFailures } from "@/elements/failures";
import { useFeedback } from "@/elements/feedback";
import { useKind } from "@/features/registry";
import type { TaskSummary } from "./queries";

/** What the server says may be done to a task now: stop at hand, the rest under `…`. */
export function TaskActions({
  task,
  compact = false,
  onDeleted,
}: {
  task: TaskSummary;
  compact?: boolean;
  onDeleted?: () => void;
}) {
  const { t } = useTranslation("tasks");
  const { ask, message } = useFeedback();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const failures = useFailures();
  const [busy, setBusy] = useState(false);
  const may = (action: TaskSummary["actions"][number]) => task.actions.includes(action);

  async function act(name: string, work: () => Promise<unknown>, words: { done: string; failed: string }) {
    const key = `tasks/${task.id}/${name}`;
    setBusy(true);
    try {
      await work();
      failures.settle(key);
      message.success(words.done);
    } catch (error) {
      failures.tell({ key, title: words.failed, error, retry: () => act(name, work, words) });
    } finally {
      setBusy(false);
      queries.invalidateQueries({ queryKey: ["tasks"] });
      queries.invalidateQueries({ queryKey: ["overview"] });
    }
  }

  function stop() {
    ask({
      title: t("stop_question", { name: task.name }),
      content: t("stop_means"),
      okText: t("stop"),
      danger: true,
      onOk: async () => {
        const request = () =>
          body(api.POST("/api/v1/tasks/{task_id}/stop", { params: { path: { task_id: task.id } } }));
        await act("stop", request, {
          done: t("stopping", { name: task.name }),
          failed: t("stop_failed", { name: task.name }),
        });
      },
    });
  }

  function remove() {
    ask({
      title: t("delete_question", { name: task.name }),
      content: t("delete_means"),
      okText: t("delete"),
      danger: true,
      onOk: async () => {
        const request = async () => {
          await body(api.DELETE("/api/v1/tasks/{task_id}", { params: { path: { task_id: task.id } } }));
          onDeleted?.();
        };
        await act("delete", request, {
          done: t("deleted", { name: task.name }),
          failed: t("delete_failed", { name: task.name }),
        });
      },
    });
  }

  const form = useKind(task.kind)?.form;
  const rest = [
    may("copy") &&
      form && {
        key: "copy",
        icon: <Copy size={14} aria-hidden />,
        label: t("copy"),
        onClick: () => navigate({ to: form.path, search: { copy: task.id } as never }),
      },
    may("delete") && {
      key: "delete",
      danger: true,
      icon: <Trash2 size={14} aria-hidden />,
      label: t("delete"),
      onClick: remove,
    },
  ].filter((item) => typeof item === "object");

  return (
    <span className="row" style={{ flexWrap: "nowrap", justifyContent: "flex-end" }}>
      {may("stop") &&
        (compact ? (
          <Tooltip title={t("stop")}>
            <Button
              type="text"
              size="small"
              loading={busy}
              icon={<CircleStop size={15} aria-hidden />}
              aria-label={t("stop_named", { name: task.name })}
              onClick={stop}
            />
          </Tooltip>
        ) : (
          <Button danger loading={busy} icon={<CircleStop size={15} aria-hidden />} onClick={stop}>
            {t("stop")}
          </Button>
        ))}
      {rest.length > 0 && (
        <MenuButton placement="bottomRight" menu={{ items: rest }}>
          {(waiting) => (
            <Button
              type={compact ? "text" : "default"}
              size={compact ? "small" : "middle"}
              icon={<Ellipsis size={15} aria-hidden />}
              aria-label={t("more_named", { name: task.name })}
              aria-haspopup="menu"
              disabled={waiting}
            />
          )}
        </MenuButton>
      )}
    </span>
  );
}
