import { Button, Form } from "antd";
import Input from "antd/es/input/Input";
import { Plus, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { RULES } from "@/api/rules.gen";
import { focusFirst } from "@/elements/focus";
import { useFieldRules } from "@/elements/rules";
import { isRepeated, NOBODY } from "./form";
import "./new-users.css";

const MOST = RULES.UsersCreate.users.maxItems;

/** Who they are: one to ten people, each with a user name and a nickname, the rest as far as it is known. */
export function PeopleStep() {
  const { t } = useTranslation("users");
  return (
    <Form.List name="users">
      {(entries, { add, remove }) => (
        <>
          <ol className="new-people">
            {entries.map((entry, index) => (
              <Person
                key={entry.key}
                index={index}
                first={index === 0}
                remove={entries.length > 1 ? () => remove(entry.name) : undefined}
              />
            ))}
          </ol>
          <div className="row">
            <Button
              icon={<Plus size={15} aria-hidden />}
              disabled={entries.length >= MOST}
              onClick={() => add({ ...NOBODY })}
            >
              {t("another")}
            </Button>
            <span className="quiet tabular" role="status">
              {t(entries.length >= MOST ? "people_most" : "people_count", { count: entries.length, most: MOST })}
            </span>
          </div>
        </>
      )}
    </Form.List>
  );
}

function Person({ index, first, remove }: { index: number; first: boolean; remove?: () => void }) {
  const { t } = useTranslation("users");
  const rules = useFieldRules();
  const fields = useRef<HTMLFieldSetElement>(null);
  // Who was just added is who is typed next; the first one is the business of the step.
  const isNew = useRef(!first);
  useEffect(() => {
    if (isNew.current) focusFirst(fields.current);
    isNew.current = false;
  }, []);
  return (
    <li>
      <fieldset ref={fields} className="new-person">
        <legend>{t("person", { number: index + 1 })}</legend>
        <Form.Item
          name={[index, "name"]}
          label={t("name")}
          validateFirst
          rules={[
            ...rules(RULES.NewUser.name, { pattern: t("name_rule") }),
            ({ getFieldValue }) => ({
              validator: () =>
                isRepeated(getFieldValue("users"), index)
                  ? Promise.reject(new Error(t("name_twice")))
                  : Promise.resolve(),
            }),
          ]}
        >
          <Input autoComplete="off" autoCapitalize="none" spellCheck={false} />
        </Form.Item>
        <Form.Item name={[index, "nickname"]} label={t("nickname")} rules={rules(RULES.NewUser.nickname)}>
          <Input autoComplete="off" />
        </Form.Item>
        <Form.Item
          name={[index, "phone"]}
          label={t("phone")}
          rules={rules(RULES.NewUser.phone, { pattern: t("phone_rule") })}
        >
          <Input autoComplete="off" inputMode="tel" />
        </Form.Item>
        <Form.Item
          name={[index, "email"]}
          label={t("email")}
          rules={rules(RULES.NewUser.email, { pattern: t("email_rule") })}
        >
          <Input autoComplete="off" inputMode="email" />
        </Form.Item>
        {remove && (
          <Button
            type="text"
            className="new-person-remove"
            icon={<X size={15} aria-hidden />}
            aria-label={t("person_remove", { number: index + 1 })}
            onClick={remove}
          />
        )}
      </fieldset>
    </li>
  );
}
