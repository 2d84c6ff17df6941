import { Form } from "antd";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useMay } from "@/identity/session";
import { Choices, GROUPS, USERS } from "@/people/choice";
import { FormDialog } from "@/people/form-dialog";
import type { VirtualCluster } from "@/virtual-clusters/active";

const MOST_AT_ONCE = 100;

interface Chosen {
  users: string[];
  groups: string[];
}

/** Users and groups, found by a few letters, become members together. */
export default function AddMembersDialog({ cluster, onClose }: { cluster: VirtualCluster; onClose: () => void }) {
  const { t } = useTranslation(["virtual_cluster_management", "people"]);
  const may = useMay();
  const [form] = Form.useForm<Chosen>();
  const { id, name } = cluster;
  return (
    <FormDialog<Chosen>
      form={form}
      title={t("add_title", { name })}
      okText={t("people:add")}
      start={{ users: [], groups: [] }}
      save={(chosen) =>
        body(
          api.POST("/api/v1/virtual-clusters/{cluster_id}/members", {
            params: { path: { cluster_id: id } },
            body: chosen,
          }),
        )
      }
      done={t("added", { name })}
      onClose={onClose}
    >
      <p className="people-hint">{t("add_means")}</p>
      {may("users:read") && (
        <Form.Item
          name="users"
          label={t("people:users")}
          extra={t("people:choice_how")}
          rules={[atMost(t("add_most"))]}
        >
          <Choices source={USERS} placeholder={t("people:choice_users")} />
        </Form.Item>
      )}
      {may("groups:read") && (
        <Form.Item
          name="groups"
          label={t("people:groups")}
          dependencies={["users"]}
          className="last-item"
          rules={[
            atMost(t("add_most")),
            {
              validator: (_, groups: string[]) =>
                groups.length + (form.getFieldValue("users") as string[]).length > 0
                  ? Promise.resolve()
                  : Promise.reject(new Error(t("add_needed"))),
            },
          ]}
        >
          <Choices source={GROUPS} placeholder={t("people:choice_groups")} />
        </Form.Item>
      )}
    </FormDialog>
  );
}

function atMost(message: string) {
  return { type: "array" as const, max: MOST_AT_ONCE, message };
}
