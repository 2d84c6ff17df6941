import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { EditDialog } from "@/people/edit-dialog";
import { ifMatch, type Role } from "@/people/queries";
import { useReread } from "./query";

/** The role goes; how many lose it is said first. */
export default function DeleteRoleDialog({ role, onClose }: { role: Role; onClose: (saved: boolean) => void }) {
  const { t } = useTranslation("roles");
  return (
    <EditDialog
      title={t("delete_question", { name: role.name })}
      okText={t("delete")}
      danger
      shown={role}
      fieldsOf={() => ({})}
      reread={useReread(role.id)}
      save={(_, shown) =>
        body(
          api.DELETE("/api/v1/roles/{role_id}", {
            params: { path: { role_id: shown.id }, header: ifMatch(shown) },
          }),
        )
      }
      done={t("deleted", { name: role.name })}
      onClose={onClose}
    >
      {({ user_count, group_count }) => (
        <p>
          {user_count + group_count === 0
            ? t("delete_nobody")
            : t("delete_means", {
                users: t("user_count", { count: user_count }),
                groups: t("group_count", { count: group_count }),
              })}
        </p>
      )}
    </EditDialog>
  );
}
