import { Form } from "antd";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useRoleName } from "@/identity/role-name";
import { EditDialog } from "@/people/edit-dialog";
import { type Group, ifMatch } from "@/people/queries";
import { RoleChoice } from "@/people/role-choice";
import { useReread } from "./reread";

/** Which roles all users of a group have by it: one at least. */
export default function GroupRolesDialog({ group, onClose }: { group: Group; onClose: (saved: boolean) => void }) {
  const { t } = useTranslation(["groups", "people"]);
  const roleName = useRoleName();
  return (
    <EditDialog
      title={t("roles_title", { name: group.name })}
      okText={t("save")}
      shown={group}
      fieldsOf={({ roles }) => ({ roles: roles.map(({ id }) => id) })}
      reread={useReread(group.id)}
      save={({ roles }, shown) =>
        body(
          api.PUT("/api/v1/groups/{group_id}/roles", {
            params: { path: { group_id: shown.id }, header: ifMatch(shown) },
            body: { roles },
          }),
        )
      }
      done={t("saved", { name: group.name })}
      onClose={onClose}
      stored={({ roles }) => roles.map(roleName).join(", ")}
    >
      {() => (
        <Form.Item
          name="roles"
          className="last-item"
          rules={[{ required: true, type: "array", min: 1, message: t("people:role_needed") }]}
        >
          <RoleChoice />
        </Form.Item>
      )}
    </EditDialog>
  );
}
