import { Form, InputNumber } from "antd";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { RULES } from "@/api/rules.gen";
import { useNumberRules } from "@/elements/rules";
import { EditDialog } from "@/people/edit-dialog";
import { ifMatch } from "@/people/queries";
import type { VirtualCluster } from "@/virtual-clusters/active";
import { useReread } from "./queries";

const USUAL_HOURS = 24;

/** More hours for tasks, those that run included; possible at any time. */
export default function ExtendDialog({ cluster, onClose }: { cluster: VirtualCluster; onClose: () => void }) {
  const { t } = useTranslation(["virtual_cluster_management", "people"]);
  const rules = useNumberRules();
  const { name } = cluster;
  return (
    <EditDialog<VirtualCluster, { hours: number }>
      title={t("extend_title", { name })}
      okText={t("extend")}
      shown={cluster}
      fieldsOf={() => ({ hours: USUAL_HOURS })}
      reread={useReread(cluster.id)}
      save={({ hours }, shown) =>
        body(
          api.POST("/api/v1/virtual-clusters/{cluster_id}/extend", {
            params: { path: { cluster_id: shown.id }, header: ifMatch(shown) },
            body: { hours },
          }),
        )
      }
      done={t("extended", { name })}
      onClose={onClose}
      stored={({ max_hours: hours }) => (hours === null ? t("no_limit") : t("hours", { count: hours }))}
    >
      {({ max_hours: now }) => (
        <>
          <p className="people-hint">{t("extend_means", { count: now ?? 0 })}</p>
          <Form.Item name="hours" label={t("extend_by")} rules={rules(RULES.VirtualClusterExtend.hours)} validateFirst>
            <InputNumber precision={0} />
          </Form.Item>
          <Form.Item noStyle dependencies={["hours"]}>
            {({ getFieldValue }) => (
              <p role="status" className="tabular">
                {t("extend_then", { count: (now ?? 0) + (Number(getFieldValue("hours")) || 0) })}
              </p>
            )}
          </Form.Item>
        </>
      )}
    </EditDialog>
  );
}
