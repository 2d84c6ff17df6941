import { Button, Form, Radio } from "antd";
import Input from "antd/es/input/Input";
import { Plus, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { RULES } from "@/api/rules.gen";
import { useInstalled } from "@/identity/about";
import { useSettings } from "@/identity/settings";
import { portsOf } from "./egress";

/** How one is written, the same in every language. */
const EXAMPLE = { network: "10.20.0.0/16", ports: "443, 8000-8100, 53/udp" };

/** What tasks may be on their node, and where they are let out to. */
export default function SecurityFields() {
  const { t } = useTranslation(["virtual_cluster_management", "common"]);
  const installed = useInstalled();
  const off = useSettings().data?.privileged_jobs_refused === "installation";
  return (
    <>
      <Form.Item
        name="pod_security"
        label={t("pod_security")}
        extra={off ? t("pod_security_off") : t("pod_security_means")}
      >
        <Radio.Group
          aria-label={t("pod_security")}
          options={[
            { value: "restricted", label: t("pod_security_restricted") },
            { value: "baseline", label: t("pod_security_baseline"), disabled: off },
          ]}
        />
      </Form.Item>
      <p className="cluster-hint">{t("egress_means")}</p>
      {!installed && <p className="cluster-hint">{t("egress_local")}</p>}
      <Form.List name="egress">
        {(entries, { add, remove }) => (
          <div className="egress">
            {entries.map((entry, index) => (
              <div key={entry.key} className="egress-row">
                <Form.Item
                  name={[entry.name, "network"]}
                  label={t("network")}
                  rules={[{ required: true, message: t("common:rules.required") }]}
                >
                  <Input
                    aria-label={t("network_number", { number: index + 1 })}
                    placeholder={EXAMPLE.network}
                    maxLength={RULES.OpenNetwork.network.maxLength}
                    autoComplete="off"
                    spellCheck={false}
                  />
                </Form.Item>
                <Form.Item
                  name={[entry.name, "ports"]}
                  label={t("ports")}
                  rules={[
                    {
                      validator: (_, typed: string) => {
                        const found = portsOf(typed ?? "");
                        if (found && found.length <= RULES.OpenNetwork.ports.maxItems) return Promise.resolve();
                        return Promise.reject(new Error(t("ports_rule")));
                      },
                    },
                  ]}
                >
                  <Input
                    aria-label={t("ports_number", { number: index + 1 })}
                    placeholder={EXAMPLE.ports}
                    autoComplete="off"
                    spellCheck={false}
                  />
                </Form.Item>
                <Button
                  type="text"
                  icon={<X size={15} aria-hidden />}
                  aria-label={t("network_remove", { number: index + 1 })}
                  onClick={() => remove(entry.name)}
                />
              </div>
            ))}
            <Button
              size="small"
              icon={<Plus size={14} aria-hidden />}
              disabled={entries.length >= RULES.VirtualClusterCreate.egress.maxItems}
              onClick={() => add({ network: "", ports: "443" })}
            >
              {t("network_add")}
            </Button>
          </div>
        )}
      </Form.List>
    </>
  );
}
