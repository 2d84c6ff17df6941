import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { EditDialog } from "@/people/edit-dialog";
import { useGrantWords } from "@/people/grant-words";
import { ifMatch, type Role } from "@/people/queries";
import { useReread } from "./query";
import { DescriptionField, GrantsField, NameField } from "./role-fields";

/** Name, description and permissions of a role that somebody made. */
export default function EditRoleDialog({ role, onClose }: { role: Role; onClose: (saved: boolean) => void }) {
  const { t } = useTranslation("roles");
  const words = useGrantWords();
  return (
    <EditDialog
      title={t("edit_title", { name: role.name })}
      okText={t("save")}
      shown={role}
      fieldsOf={({ name, description, grants }) => ({ name, description, grants: [...grants] })}
      reread={useReread(role.id)}
      save={({ name, description, grants }, shown) =>
        body(
          api.PATCH("/api/v1/roles/{role_id}", {
            params: { path: { role_id: shown.id }, header: ifMatch(shown) },
            body: { name, description, grants },
          }),
        )
      }
      done={t("saved", { name: role.name })}
      onClose={onClose}
      stored={({ name, description, grants }) => `${name}: ${description} (${grants.map(words).join(", ")})`}
    >
      {() => (
        <div className="role-fields">
          <NameField />
          <DescriptionField />
          <GrantsField />
        </div>
      )}
    </EditDialog>
  );
}
