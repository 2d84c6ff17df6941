import { Form } from "antd";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { Choices, GROUPS } from "@/people/choice";
import { EditDialog } from "@/people/edit-dialog";
import { type Account, ifMatch } from "@/people/queries";
import { useReread } from "./reread";

/** Which groups somebody is in. */
export default function GroupsDialog({ account, onClose }: { account: Account; onClose: (saved: boolean) => void }) {
  const { t } = useTranslation(["users", "people"]);
  const { name } = account;
  return (
    <EditDialog
      title={t("groups_title", { name })}
      okText={t("save")}
      shown={account}
      fieldsOf={({ groups }) => ({ groups: groups.map(({ id }) => id) })}
      reread={useReread(account.id)}
      save={({ groups }, shown) =>
        body(
          api.PUT("/api/v1/users/{user_id}/groups", {
            params: { path: { user_id: shown.id }, header: ifMatch(shown) },
            body: { groups },
          }),
        )
      }
      done={t("done_groups", { name })}
      onClose={onClose}
      stored={({ groups }) => groups.map((group) => group.name).join(", ") || "–"}
    >
      {({ groups }) => (
        <Form.Item name="groups" label={t("people:groups")} extra={t("people:choice_how")} className="last-item">
          <Choices
            source={GROUPS}
            placeholder={t("people:choice_groups")}
            known={groups.map((group) => ({ value: group.id, label: group.name }))}
          />
        </Form.Item>
      )}
    </EditDialog>
  );
}
