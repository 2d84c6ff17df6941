import { Pencil, Trash2, UserPlus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { Action } from "@/people/action";
import type { Group } from "@/people/queries";

const EditDialog = lazy(() => import("./edit-group-dialog"));
const DeleteDialog = lazy(() => import("./delete-group-dialog"));
const AddDialog = lazy(() => import("@/people/add-dialog"));

/** What may be done to a group. */
export function GroupActions({
  group,
  compact = false,
  onDeleted,
}: {
  group: Group;
  compact?: boolean;
  onDeleted?: () => void;
}) {
  const { t } = useTranslation("groups");
  const [open, setOpen] = useState<"add" | "edit" | "delete">();
  const { id, name } = group;
  const close = () => setOpen(undefined);
  return (
    <span className="people-actions">
      {compact ? (
        <Action
          compact
          icon={UserPlus}
          words={t("add_users")}
          label={t("action_named", { action: t("add_users"), name })}
          onClick={() => setOpen("add")}
        />
      ) : (
        <Action
          compact={false}
          icon={Pencil}
          words={t("edit")}
          label={t("action_named", { action: t("edit"), name })}
          onClick={() => setOpen("edit")}
        />
      )}
      <Action
        compact={compact}
        danger
        icon={Trash2}
        words={t("delete")}
        label={t("action_named", { action: t("delete"), name })}
        onClick={() => setOpen("delete")}
      />
      <Suspense>
        {open === "add" && (
          <AddDialog
            of="users"
            owner={name}
            add={(users) =>
              body(api.POST("/api/v1/groups/{group_id}/users", { params: { path: { group_id: id } }, body: { users } }))
            }
            onClose={close}
          />
        )}
        {open === "edit" && <EditDialog group={group} onClose={close} />}
        {open === "delete" && (
          <DeleteDialog
            group={group}
            onClose={(deleted) => {
              close();
              if (deleted) onDeleted?.();
            }}
          />
        )}
      </Suspense>
    </span>
  );
}
