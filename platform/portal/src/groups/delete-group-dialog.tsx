import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { EditDialog } from "@/people/edit-dialog";
import { type Group, ifMatch } from "@/people/queries";
import { useReread } from "./reread";

/** The group goes, its users stay and lose what they have by it. */
export default function DeleteGroupDialog({ group, onClose }: { group: Group; onClose: (saved: boolean) => void }) {
  const { t } = useTranslation("groups");
  return (
    <EditDialog
      title={t("delete_question", { name: group.name })}
      okText={t("delete")}
      danger
      shown={group}
      fieldsOf={() => ({})}
      reread={useReread(group.id)}
      save={(_, shown) =>
        body(
          api.DELETE("/api/v1/groups/{group_id}", {
            params: { path: { group_id: shown.id }, header: ifMatch(shown) },
          }),
        )
      }
      done={t("deleted", { name: group.name })}
      onClose={onClose}
    >
      {({ user_count: count }) => <p>{t("delete_means", { count })}</p>}
    </EditDialog>
  );
}
