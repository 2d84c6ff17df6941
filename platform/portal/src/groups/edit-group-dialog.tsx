import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { EditDialog } from "@/people/edit-dialog";
import { type Group, ifMatch } from "@/people/queries";
import { GroupFields } from "./group-fields";
import { useReread } from "./reread";

/** Name and description of a group. */
export default function EditGroupDialog({ group, onClose }: { group: Group; onClose: (saved: boolean) => void }) {
  const { t } = useTranslation("groups");
  return (
    <EditDialog
      title={t("edit_title", { name: group.name })}
      okText={t("save")}
      shown={group}
      fieldsOf={({ name, description }) => ({ name, description })}
      reread={useReread(group.id)}
      save={({ name, description }, shown) =>
        body(
          api.PATCH("/api/v1/groups/{group_id}", {
            params: { path: { group_id: shown.id }, header: ifMatch(shown) },
            body: { name, description },
          }),
        )
      }
      done={t("saved", { name: group.name })}
      onClose={onClose}
      stored={({ name, description }) => `${name}: ${description}`}
    >
      {() => <GroupFields />}
    </EditDialog>
  );
}
