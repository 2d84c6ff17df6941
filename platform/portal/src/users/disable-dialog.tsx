import { Checkbox, Form } from "antd";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { EditDialog } from "@/people/edit-dialog";
import { type Account, ifMatch } from "@/people/queries";
import { useReread } from "./reread";

/** Nobody signs in with it any more; what becomes of the user's tasks is asked. */
export default function DisableDialog({ account, onClose }: { account: Account; onClose: (saved: boolean) => void }) {
  const { t } = useTranslation("users");
  const { name } = account;
  return (
    <EditDialog
      title={t("disable_question", { name })}
      okText={t("disable")}
      danger
      shown={account}
      fieldsOf={() => ({ stop_tasks: false })}
      reread={useReread(account.id)}
      save={({ stop_tasks }, shown) =>
        body(
          api.POST("/api/v1/users/{user_id}/disable", {
            params: { path: { user_id: shown.id }, header: ifMatch(shown) },
            body: { stop_tasks },
          }),
        )
      }
      done={t("done_disable", { name })}
      onClose={onClose}
    >
      {({ unfinished_tasks: tasks }) => (
        <>
          <p>{t("disable_means")}</p>
          {tasks > 0 && (
            <>
              <p>{t("disable_tasks", { count: tasks })}</p>
              <Form.Item name="stop_tasks" valuePropName="checked" noStyle>
                <Checkbox>{t("stop_tasks")}</Checkbox>
              </Form.Item>
            </>
          )}
        </>
      )}
    </EditDialog>
  );
}
