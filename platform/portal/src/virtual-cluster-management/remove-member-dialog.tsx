import { Checkbox, Form } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useFeedback } from "@/elements/feedback";
import { FormDialog } from "@/people/form-dialog";
import type { VirtualCluster } from "@/virtual-clusters/active";
import type { Member } from "./queries";

/** Takes a user or a group out; of tasks that have not ended it asks whether to stop them. */
export default function RemoveMemberDialog({
  cluster,
  member,
  onClose,
}: {
  cluster: VirtualCluster;
  member: Member;
  onClose: () => void;
}) {
  const { t } = useTranslation(["virtual_cluster_management", "people"]);
  const { notification } = useFeedback();
  const [form] = Form.useForm<{ stop_tasks: boolean }>();
  // Whose tasks a group's leaving ends, only the server knows; others may have begun meanwhile.
  const [told, setTold] = useState(0);
  const staying = member.kind === "user" && member.groups.length > 0;
  const tasks = Math.max(staying ? 0 : member.unfinished_tasks, told);
  const { name } = member;

  async function remove({ stop_tasks = false }: { stop_tasks?: boolean }) {
    const done = await body(
      api.POST("/api/v1/virtual-clusters/{cluster_id}/members/remove", {
        params: { path: { cluster_id: cluster.id } },
        body: {
          users: member.kind === "user" ? [member.id] : [],
          groups: member.kind === "group" ? [member.id] : [],
          stop_tasks,
        },
      }),
    );
    if (done.still_members_count > 0) {
      notification.warning({
        key: `virtual-clusters/${cluster.id}/still`,
        title: t("still_members", { count: done.still_members_count, name: cluster.name }),
        description: done.still_members.map((each) => each.name).join(", "),
      });
    }
  }

  return (
    <FormDialog<{ stop_tasks: boolean }>
      form={form}
      danger
      title={t("people:remove_question", { name, owner: cluster.name })}
      okText={t("people:remove")}
      start={{ stop_tasks: false }}
      save={remove}
      refused={(problem) => {
        if (problem.code !== "members_have_tasks") return false;
        setTold(Number(problem.params.tasks ?? 1));
        return tasks === 0;
      }}
      done={t("people:removed", { name, owner: cluster.name })}
      onClose={onClose}
    >
      <p>
        {t(staying ? "remove_stays" : `remove_means_${member.kind}`, {
          groups: member.groups.map((each) => each.name).join(", "),
        })}
      </p>
      {tasks > 0 && (
        <>
          <p className="people-warning">{t("remove_tasks", { count: tasks })}</p>
          <Form.Item
            name="stop_tasks"
            valuePropName="checked"
            className="last-item"
            rules={[
              {
                validator: (_, stop) => (stop ? Promise.resolve() : Promise.reject(new Error(t("remove_stop_needed")))),
              },
            ]}
          >
            <Checkbox>{t("remove_stop")}</Checkbox>
          </Form.Item>
        </>
      )}
    </FormDialog>
  );
}
