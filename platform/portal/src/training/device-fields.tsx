import { Form, Radio, Select } from "antd";
import { lazy, Suspense, useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { deviceName } from "@/formats/devices";
import type { FormFields, TrainingOptions } from "./form";

// Few tasks run on several machines.
const InputNumber = lazy(() => import("antd/es/input-number"));

/** Of a form item, which gives value and change. */
function NodeCount({
  max,
  ...field
}: {
  max: number;
  id?: string;
  value?: number;
  onChange?: (value: number | string | null) => void;
}) {
  return (
    <Suspense>
      <InputNumber {...field} min={2} max={max} precision={0} />
    </Suspense>
  );
}

/** On which devices: the virtual cluster, one machine or several, the type and how many. */
export default function DeviceFields({
  options,
  fields,
  device,
}: {
  options: TrainingOptions;
  fields: FormFields;
  device: Schemas["DeviceOption"] | undefined;
}) {
  const { t } = useTranslation(["training", "virtual_clusters", "common"]);
  const form = Form.useFormInstance<FormFields>();
  const cluster = options.virtual_clusters.find((each) => each.name === fields.virtual_cluster);
  const framework =
    fields.source === "framework" ? options.frameworks.find((each) => each.name === fields.framework) : undefined;
  const counts = (fields.distributed ? device?.distributed_counts : device?.counts) ?? [0];

  // What another choice has made impossible goes back to what is possible.
  useEffect(() => {
    const type = device?.type ?? cluster?.devices[0]?.type ?? "";
    if (cluster && fields.device_type !== type) form.setFieldValue("device_type", type);
    if (!counts.includes(fields.devices)) form.setFieldValue("devices", counts[0] ?? 0);
    if (fields.distributed && fields.nodes < 2) form.setFieldValue("nodes", 2);
  }, [form, cluster, device, counts, fields.device_type, fields.devices, fields.distributed, fields.nodes]);

  return (
    <>
      {options.virtual_clusters.length === 0 && <p className="form-note">{t("virtual_clusters:none_why")}</p>}
      <Form.Item
        name="virtual_cluster"
        label={t("field_virtual_cluster")}
        rules={[{ required: true, message: t("common:rules.required") }]}
      >
        <Select
          className="field-medium"
          options={options.virtual_clusters.map((each) => ({ value: each.name, label: each.name }))}
          showSearch={{ optionFilterProp: "label" }}
        />
      </Form.Item>
      <Form.Item
        name="distributed"
        label={t("field_distributed")}
        extra={
          fields.distributed && framework && !framework.distributed
            ? t("not_distributed", { framework: framework.title })
            : undefined
        }
      >
        <Radio.Group
          aria-label={t("field_distributed")}
          optionType="button"
          options={[
            { value: false, label: t("single") },
            { value: true, label: t("distributed") },
          ]}
        />
      </Form.Item>
      {cluster?.devices.length === 0 && <p className="form-note">{t("no_device_types")}</p>}
      <Form.Item
        name="device_type"
        label={t("field_device_type")}
        rules={[{ required: cluster?.devices.length !== 0, message: t("common:rules.required") }]}
        hidden={cluster?.devices.length === 0}
      >
        <Radio.Group className="device-types" aria-label={t("field_device_type")}>
          {cluster?.devices.map((each) => (
            <Radio key={each.type} value={each.type} className="device-type">
              <span className="device-type-name">{deviceName(each.type)}</span>
              <span className="quiet tabular">{t("free_of", { free: each.free, total: each.total })}</span>
            </Radio>
          ))}
        </Radio.Group>
      </Form.Item>
      <div className="field-row">
        {fields.distributed && (
          <Form.Item
            name="nodes"
            label={t("field_nodes")}
            rules={[{ required: true, message: t("common:rules.required") }]}
          >
            <NodeCount max={Math.max(2, device?.max_nodes ?? cluster?.max_nodes ?? 2)} />
          </Form.Item>
        )}
        <Form.Item
          name="devices"
          label={fields.distributed ? t("field_devices_per_node") : t("field_devices")}
          rules={[{ required: true, message: t("common:rules.required") }]}
          extra={
            device && device.max_per_user < device.total
              ? t("most_per_user", { count: device.max_per_user })
              : undefined
          }
          className="last-item"
        >
          <Radio.Group
            aria-label={fields.distributed ? t("field_devices_per_node") : t("field_devices")}
            optionType="button"
            options={counts.map((count) => ({
              value: count,
              label: count === 0 ? t("cpu_only") : String(count),
            }))}
          />
        </Form.Item>
        {fields.distributed && (
          <Form.Item label={t("field_total_devices")}>
            <output className="total-devices tabular">{fields.nodes * fields.devices}</output>
          </Form.Item>
        )}
      </div>
    </>
  );
}
