import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { App, Button, Dropdown, Tooltip } from "antd";
import { CircleStop, Copy, Ellipsis, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useFailures } from "@/elements/failures";
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
  const { t } = useTranslation();
  const { modal, message } = App.useApp();
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
    modal.confirm({
      title: t("tasks.stop_question", { name: task.name }),
      content: t("tasks.stop_means"),
      okText: t("tasks.stop"),
      okButtonProps: { danger: true },
      onOk: async () => {
        const request = () =>
          body(api.POST("/api/v1/tasks/{task_id}/stop", { params: { path: { task_id: task.id } } }));
        await act("stop", request, {
          done: t("tasks.stopping", { name: task.name }),
          failed: t("tasks.stop_failed", { name: task.name }),
        });
      },
    });
  }

  function remove() {
    modal.confirm({
      title: t("tasks.delete_question", { name: task.name }),
      content: t("tasks.delete_means"),
      okText: t("tasks.delete"),
      okButtonProps: { danger: true },
      onOk: async () => {
        const request = async () => {
          await body(api.DELETE("/api/v1/tasks/{task_id}", { params: { path: { task_id: task.id } } }));
          onDeleted?.();
        };
        await act("delete", request, {
          done: t("tasks.deleted", { name: task.name }),
          failed: t("tasks.delete_failed", { name: task.name }),
        });
      },
    });
  }

  const rest = [
    may("copy") && {
      key: "copy",
      icon: <Copy size={14} aria-hidden />,
      label: t("tasks.copy"),
      onClick: () => navigate({ to: "/training/new", search: { copy: task.id } }),
    },
    may("delete") && {
      key: "delete",
      danger: true,
      icon: <Trash2 size={14} aria-hidden />,
      label: t("tasks.delete"),
      onClick: remove,
    },
  ].filter((item) => item !== false);

  return (
    <span className="row" style={{ flexWrap: "nowrap", justifyContent: "flex-end" }}>
      {may("stop") &&
        (compact ? (
          <Tooltip title={t("tasks.stop")}>
            <Button
              type="text"
              size="small"
              loading={busy}
              icon={<CircleStop size={15} aria-hidden />}
              aria-label={t("tasks.stop_named", { name: task.name })}
              onClick={stop}
            />
          </Tooltip>
        ) : (
          <Button danger loading={busy} icon={<CircleStop size={15} aria-hidden />} onClick={stop}>
            {t("tasks.stop")}
          </Button>
        ))}
      {rest.length > 0 && (
        <Dropdown trigger={["click"]} placement="bottomRight" menu={{ items: rest }}>
          <Button
            type={compact ? "text" : "default"}
            size={compact ? "small" : "middle"}
            icon={<Ellipsis size={15} aria-hidden />}
            aria-label={t("tasks.more_named", { name: task.name })}
            aria-haspopup="menu"
          />
        </Dropdown>
      )}
    </span>
  );
}
