import { useQuery } from "@tanstack/react-query";
import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import { useMay } from "@/identity/session";
import { Choices, GROUPS } from "@/people/choice";
import { clustersQuery } from "@/virtual-clusters/active";

/** Groups and virtual clusters: they can be given later, too. */
export default function MoreRights() {
  const { t } = useTranslation(["users", "people"]);
  const may = useMay();
  const clusters = useQuery({ ...clustersQuery, enabled: may("virtual_clusters:read") });
  return (
    <>
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
