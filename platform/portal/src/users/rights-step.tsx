import { useQuery } from "@tanstack/react-query";
import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import { useMay } from "@/identity/session";
import { Choices, GROUPS } from "@/people/choice";
import { RoleChoice } from "@/people/role-choice";
import { clustersQuery } from "@/virtual-clusters/active";

/** What all of them may do, and where: at least one role; groups and virtual clusters can be given later, too. */
export function RightsStep() {
  const { t } = useTranslation(["users", "people"]);
  const may = useMay();
  const clusters = useQuery({ ...clustersQuery, enabled: may("virtual_clusters:read") });
  return (
    <>
      <Form.Item name="roles" rules={[{ required: true, type: "array", min: 1, message: t("people:role_needed") }]}>
        <RoleChoice />
      </Form.Item>
      {may("groups:read") && (
        <Form.Item name="groups" label={t("groups_more")}>
          <Choices source={GROUPS} placeholder={t("people:choice_groups")} />
        </Form.Item>
      )}
      {may("virtual_clusters:read") && (
        <Form.Item name="virtual_clusters" label={t("clusters_more")} extra={t("clusters_why")} className="last-item">
          <Select
            mode="multiple"
            className="choices"
            placeholder={t("clusters_choose")}
            options={clusters.data?.map(({ name }) => ({ value: name, label: name }))}
            showSearch={{ optionFilterProp: "label" }}
          />
        </Form.Item>
      )}
    </>
  );
}
