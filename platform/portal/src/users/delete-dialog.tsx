import { Checkbox, Form } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useSession } from "@/identity/session";
import { EditDialog } from "@/people/edit-dialog";
import { type Account, ifMatch } from "@/people/queries";
import { useReread } from "./reread";

/** The account goes for good, its files stay; tasks that have not ended are stopped first, which is asked. */
export default function DeleteDialog({ account, onClose }: { account: Account; onClose: (saved: boolean) => void }) {
  const { t } = useTranslation("users");
  const own = useSession().user.id === account.id;
  const { name } = account;
  // Tasks that began since the account was looked at: the server tells how many.
  const [told, setTold] = useState(0);
  return (
    <EditDialog
      title={t("delete_question", { name })}
      okText={t("delete")}
      danger
      shown={account}
      fieldsOf={() => ({ stop_tasks: false })}
      reread={useReread(account.id)}
      save={({ stop_tasks }, shown) =>
        body(
          api.POST("/api/v1/users/{user_id}/delete", {
            params: { path: { user_id: shown.id }, header: ifMatch(shown) },
            body: { stop_tasks },
          }),
        )
      }
      refused={(problem) => {
        if (problem.code !== "unfinished_tasks") return false;
        setTold(Number(problem.params.count ?? 1));
        return told === 0;
      }}
      done={t("done_delete", { name })}
      onClose={onClose}
    >
      {(shown) => {
        const tasks = Math.max(shown.unfinished_tasks, told);
        return (
          <>
            <p>{t("delete_means", { home: shown.home })}</p>
            {own && <p className="people-warning">{t("delete_own")}</p>}
            {tasks > 0 && (
              <>
                <p>{t("delete_tasks", { count: tasks })}</p>
                <Form.Item
                  name="stop_tasks"
                  valuePropName="checked"
                  className="last-item"
                  rules={[
                    {
                      validator: (_, stop) =>
                        stop ? Promise.resolve() : Promise.reject(new Error(t("delete_stop_needed"))),
                    },
                  ]}
                >
                  <Checkbox>{t("stop_tasks")}</Checkbox>
                </Form.Item>
              </>
            )}
          </>
        );
      }}
    </EditDialog>
  );
}
