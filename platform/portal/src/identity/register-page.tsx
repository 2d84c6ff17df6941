import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Button, Form, Input } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { type ApiProblem, problemOf } from "@/api/problem";
import { RULES } from "@/api/rules.gen";
import { useFieldRules } from "@/elements/rules";
import { useFieldWords } from "@/words/told";
import { aboutQuery } from "./about";
import { Entrance } from "./entrance";
import { EntranceProblem } from "./entrance-problem";

interface Fields {
  name: string;
  nickname: string;
  password: string;
  again: string;
}

const FIELDS = ["name", "nickname", "password"] as const;
const { minLength } = RULES.Registration.password;

/** An account that somebody makes for themselves; an administrator gives it rights. */
export function RegisterPage() {
  const { t } = useTranslation("identity");
  const about = useQuery(aboutQuery);
  if (!about.data) return null;
  return (
    <Entrance title={t("register")} purpose={about.data.registration ? t("register_purpose") : t("register_closed")}>
      {about.data.registration && <RegisterForm />}
      <div className="entrance-again">
        <Link to="/sign-in" search={{}}>
          {t("to_sign_in")}
        </Link>
      </div>
    </Entrance>
  );
}

function RegisterForm() {
  const { t } = useTranslation("identity");
  const navigate = useNavigate();
  const [form] = Form.useForm<Fields>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [busy, setBusy] = useState(false);
  const rules = useFieldRules();
  const fieldWords = useFieldWords();

  async function register({ name, nickname, password }: Fields) {
    setBusy(true);
    setProblem(undefined);
    try {
      const made = await body(api.POST("/api/v1/registrations", { body: { name, nickname, password } }));
      await navigate({ to: "/sign-in", search: { registered: made.name } });
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
      <Form<Fields>
        form={form}
        layout="vertical"
        requiredMark={false}
        scrollToFirstError={{ focus: true }}
        onFinish={register}
      >
        <Form.Item
          name="name"
          label={t("name")}
          extra={t("name_rule")}
          validateFirst
          rules={rules(RULES.Registration.name, { required: t("name_needed"), pattern: t("name_rule") })}
        >
          <Input autoFocus autoComplete="username" autoCapitalize="none" spellCheck={false} />
        </Form.Item>
        <Form.Item name="nickname" label={t("nickname")} rules={rules(RULES.Registration.nickname)}>
          <Input autoComplete="name" />
        </Form.Item>
        <Form.Item
          name="password"
          label={t("password")}
          extra={t("wanted_rule", { count: minLength })}
          rules={rules(RULES.Registration.password, { required: t("password_needed") })}
        >
          <Input.Password autoComplete="new-password" />
        </Form.Item>
        <Form.Item
          name="again"
          label={t("password_again")}
          dependencies={["password"]}
          rules={[
            { required: true, message: t("password_again_needed") },
            ({ getFieldValue }) => ({
              validator: (_, value) =>
                !value || value === getFieldValue("password")
                  ? Promise.resolve()
                  : Promise.reject(new Error(t("differ"))),
            }),
          ]}
        >
          <Input.Password autoComplete="new-password" />
        </Form.Item>
        <Button type="primary" htmlType="submit" block loading={busy}>
          {t("register_do")}
        </Button>
      </Form>
    </>
  );
}
