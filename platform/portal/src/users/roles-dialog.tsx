import { Form } from "antd";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useRoleName } from "@/identity/role-name";
import { EditDialog } from "@/people/edit-dialog";
import { type Account, ifMatch } from "@/people/queries";
import { RoleChoice } from "@/people/role-choice";
import { useReread } from "./reread";

/** Which roles somebody has by themselves; those of their groups come on top. */
export default function RolesDialog({ account, onClose }: { account: Account; onClose: (saved: boolean) => void }) {
  const { t } = useTranslation("users");
  const roleName = useRoleName();
  const { name } = account;
  return (
    <EditDialog
      title={t("roles_title", { name })}
      okText={t("save")}
      shown={account}
      fieldsOf={({ roles }) => ({ roles: roles.map(({ id }) => id) })}
      reread={useReread(account.id)}
      save={({ roles }, shown) =>
        body(
          api.PUT("/api/v1/users/{user_id}/roles", {
            params: { path: { user_id: shown.id }, header: ifMatch(shown) },
            body: { roles },
          }),
        )
      }
      done={t("done_roles", { name })}
      onClose={onClose}
      stored={({ roles }) => roles.map(roleName).join(", ") || "–"}
    >
      {({ groups }) => (
        <>
          <p className="people-hint">{t(groups.length > 0 ? "roles_with_groups" : "roles_alone")}</p>
          <Form.Item name="roles" className="last-item">
            <RoleChoice />
          </Form.Item>
        </>
      )}
    </EditDialog>
  );
}
