import { Button, Form, Input } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body, type Schemas } from "@/api/client";
import { type ApiProblem, problemOf } from "@/api/problem";
import { RULES } from "@/api/rules.gen";
import { useFieldRules } from "@/elements/rules";
import { useFieldWords } from "@/words/told";
import { EntranceProblem } from "./entrance-problem";
import type { Session } from "./session";
import type { WayName } from "./ways";

const FIELDS = ["name", "nickname"] as const;

/** An account for who is known to a provider and not here; the name stays, so it is asked for and not just taken. */
export function WayAccountForm({
  way,
  offered,
  onMade,
}: {
  way: WayName;
  offered: Schemas["NewAccount"];
  onMade: (session: Session) => Promise<void>;
}) {
  const { t } = useTranslation("identity");
  const [form] = Form.useForm<Schemas["WayRegistration"]>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [busy, setBusy] = useState(false);
  const rules = useFieldRules();
  const fieldWords = useFieldWords();

  async function make(fields: Schemas["WayRegistration"]) {
    setBusy(true);
    setProblem(undefined);
    try {
      const answer = api.POST("/api/v1/session/ways/{way}/account", { params: { path: { way } }, body: fields });
      await onMade(await body(answer));
    } catch (error) {
      const refused = problemOf(error);
      const atFields = refused.errors.flatMap((each) => {
        const field = FIELDS.find((known) => known === each.field);
        return field ? [{ name: field, errors: [fieldWords(each)] }] : [];
      });
      form.setFields(atFields);
      setProblem(atFields.length > 0 ? undefined : refused);
      setBusy(false);
      if (atFields[0]) form.focusField(atFields[0].name);
    }
  }

  return (
    <>
      {problem && <EntranceProblem problem={problem} />}
      <Form<Schemas["WayRegistration"]>
        form={form}
        layout="vertical"
        requiredMark={false}
        scrollToFirstError={{ focus: true }}
        initialValues={{ name: offered.name, nickname: offered.nickname }}
        onFinish={make}
      >
        {offered.label && <p className="entrance-known">{offered.label}</p>}
        <Form.Item
          name="name"
          label={t("name")}
          extra={t("way_name_rule", { rule: t("name_rule") })}
          validateFirst
          rules={rules(RULES.WayRegistration.name, { required: t("name_needed"), pattern: t("name_rule") })}
        >
          <Input autoFocus autoComplete="username" autoCapitalize="none" spellCheck={false} />
        </Form.Item>
        <Form.Item name="nickname" label={t("nickname")} rules={rules(RULES.WayRegistration.nickname)}>
          <Input autoComplete="name" />
        </Form.Item>
        <Button type="primary" htmlType="submit" block loading={busy}>
          {t("way_account_do")}
        </Button>
      </Form>
    </>
  );
}
