import { Button, Form } from "antd";
import Input from "antd/es/input/Input";
import { Plus, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { RULES } from "@/api/rules.gen";

/** How a parameter starts on the command line. */
const FLAG = "--";

/** Free pairs that the program gets as `--name value`. */
export default function ParameterFields() {
  const { t } = useTranslation(["training", "common"]);
  return (
    <Form.Item label={t("field_parameters")} extra={t("field_parameters_how")} className="last-item">
      <Form.List name="parameters">
        {(entries, { add, remove }) => (
          <div className="parameters">
            {entries.map((entry, index) => (
              <div key={entry.key} className="parameter">
                <Form.Item
                  name={[entry.name, "name"]}
                  rules={[
                    { required: true, message: t("common:rules.required") },
                    { pattern: new RegExp(RULES.Parameter.name.pattern), message: t("pattern_parameter") },
                  ]}
                >
                  <Input
                    prefix={<span className="quiet mono">{FLAG}</span>}
                    aria-label={t("parameter_name", { number: index + 1 })}
                    placeholder={t("parameter_name_hint")}
                    autoComplete="off"
                  />
                </Form.Item>
                <Form.Item name={[entry.name, "value"]}>
                  <Input
                    aria-label={t("parameter_value", { number: index + 1 })}
                    placeholder={t("parameter_value_hint")}
                    autoComplete="off"
                  />
                </Form.Item>
                <Button
                  type="text"
                  icon={<X size={15} aria-hidden />}
                  aria-label={t("parameter_remove", { number: index + 1 })}
                  onClick={() => remove(entry.name)}
                />
              </div>
            ))}
            <Button
              size="small"
              icon={<Plus size={14} aria-hidden />}
              disabled={entries.length >= RULES.TrainingCreate.parameters.maxItems}
              onClick={() => add({ name: "", value: "" })}
            >
              {t("parameter_add")}
            </Button>
          </div>
        )}
      </Form.List>
    </Form.Item>
  );
}
