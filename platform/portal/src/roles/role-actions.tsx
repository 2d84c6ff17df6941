import { Pencil, Trash2, UserPlus, UsersRound } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useRoleName } from "@/identity/role-name";
import { Action } from "@/people/action";
import type { Role } from "@/people/queries";

const EditDialog = lazy(() => import("./edit-role-dialog"));
const DeleteDialog = lazy(() => import("./delete-role-dialog"));
const AddDialog = lazy(() => import("@/people/add-dialog"));

/** What may be done to a role; a preset one stays as it is. */
export function RoleActions({
  role,
  compact = false,
  onDeleted,
}: {
  role: Role;
  compact?: boolean;
  onDeleted?: () => void;
}) {
  const { t } = useTranslation("roles");
  const [open, setOpen] = useState<"users" | "groups" | "edit" | "delete">();
  const name = useRoleName()(role);
  const close = () => setOpen(undefined);
  const path = { role_id: role.id };
  return (
    <span className="people-actions">
      {compact && (
        <>
          <Action
            compact
            icon={UserPlus}
            words={t("link_users")}
            label={t("action_named", { action: t("link_users"), name })}
            onClick={() => setOpen("users")}
          />
          <Action
            compact
            icon={UsersRound}
            words={t("link_groups")}
            label={t("action_named", { action: t("link_groups"), name })}
            onClick={() => setOpen("groups")}
          />
        </>
      )}
      {!compact && !role.preset && (
        <Action
          compact={false}
          icon={Pencil}
          words={t("edit")}
          label={t("action_named", { action: t("edit"), name })}
          onClick={() => setOpen("edit")}
        />
      )}
      {!role.preset && (
        <Action
          compact={compact}
          danger
          icon={Trash2}
          words={t("delete")}
          label={t("action_named", { action: t("delete"), name })}
          onClick={() => setOpen("delete")}
        />
      )}
      <Suspense>
        {(open === "users" || open === "groups") && (
          <AddDialog
            of={open}
            owner={name}
            add={(ids) =>
              open === "users"
                ? body(api.POST("/api/v1/roles/{role_id}/users", { params: { path }, body: { users: ids } }))
                : body(api.POST("/api/v1/roles/{role_id}/groups", { params: { path }, body: { groups: ids } }))
            }
            onClose={close}
          />
        )}
        {open === "edit" && <EditDialog role={role} onClose={close} />}
        {open === "delete" && (
          <DeleteDialog
            role={role}
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
