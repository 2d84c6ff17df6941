import { useTranslation } from "react-i18next";
import { deviceName } from "@/formats/devices";
import type { FormFields } from "./form";

interface StoredTermsProps {
  types: readonly string[];
  /** What the form holds now. */
  fields: FormFields;
  /** What the server has of it. */
  stored: FormFields;
}

/** Of what somebody else has changed meanwhile: each field that would be replaced, with what is stored in it. */
export default function StoredTerms({ types, fields, stored }: StoredTermsProps) {
  const { t } = useTranslation("virtual_cluster_management");
  const differing: [label: string, value: string][] = [];
  for (const type of types) {
    if (fields.devices[type] !== stored.devices[type])
      differing.push([deviceName(type), String(stored.devices[type] ?? 0)]);
    const most = stored.max_devices_per_user[type] ?? null;
    if ((fields.max_devices_per_user[type] ?? null) !== most) {
      const all = t("all_of", { count: stored.devices[type] ?? 0 });
      differing.push([`${deviceName(type)}, ${t("most_per_user")}`, most === null ? all : String(most)]);
    }
  }
  if (fields.limited !== stored.limited || (fields.limited && fields.max_hours !== stored.max_hours))
    differing.push([t("max_hours"), stored.limited ? t("hours", { count: stored.max_hours ?? 0 }) : t("no_limit")]);
  if (fields.borrows !== stored.borrows)
    differing.push([t("borrows"), stored.borrows ? t("borrows_idle") : t("borrows_nothing")]);
  if (fields.pod_security !== stored.pod_security)
    differing.push([t("pod_security"), t(`pod_security_${stored.pod_security}`)]);
  const networks = (of: FormFields) => of.egress.map(({ network, ports }) => `${network} ${ports}`).join("; ");
  if (networks(fields) !== networks(stored)) differing.push([t("networks"), networks(stored) || t("networks_none")]);
  return differing.map(([label, value]) => <span key={label} className="stored-term">{`${label}: ${value}`}</span>);
}
