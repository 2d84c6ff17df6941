import { Form, InputNumber } from "antd";
import { useTranslation } from "react-i18next";
import { RULES } from "@/api/rules.gen";
import { useNumberRules } from "@/elements/rules";
import { deviceName } from "@/formats/devices";
import type { FormFields } from "./form";
import type { Capacity } from "./queries";

/** Each device type: what there is of it, how many are granted here, and how many of them one member may hold. */
export function Grants({ types, capacity }: { types: readonly string[]; capacity: readonly Capacity[] }) {
  const { t } = useTranslation("virtual_cluster_management");
  if (types.length === 0) return <p className="quiet">{t("no_types")}</p>;
  return (
    <div className="grants">
      {types.map((type) => (
        <Grant key={type} type={type} known={capacity.find((each) => each.type === type)} />
      ))}
    </div>
  );
}

function Grant({ type, known }: { type: string; known: Capacity | undefined }) {
  const { t } = useTranslation("virtual_cluster_management");
  const rules = useNumberRules();
  const form = Form.useFormInstance<FormFields>();
  const count: number = Form.useWatch(["devices", type], form) ?? 0;
  return (
    <fieldset className="grant">
      <legend>{deviceName(type)}</legend>
      <p className="grant-there tabular">
        {known ? t("there", { total: known.total, given: known.given, free: known.free }) : t("there_none")}
        {known && known.away > 0 && ` ${t("away", { count: known.away })}`}
      </p>
      <Form.Item name={["devices", type]} label={t("count")} rules={rules(RULES.VirtualClusterCreate.devices)}>
        <InputNumber precision={0} />
      </Form.Item>
      <Form.Item
        name={["max_devices_per_user", type]}
        label={t("most_per_user")}
        dependencies={[["devices", type]]}
        validateFirst
        rules={[
          ...rules(RULES.VirtualClusterCreate.max_devices_per_user),
          {
            validator: (_, most: number | null) =>
              count > 0 && typeof most === "number" && most > count
                ? Promise.reject(new Error(t("most_above", { count })))
                : Promise.resolve(),
          },
        ]}
      >
        <InputNumber precision={0} placeholder={count > 0 ? t("all_of", { count }) : undefined} />
      </Form.Item>
    </fieldset>
  );
}
