import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Button, Checkbox, Form, Input } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { type ApiProblem, problemOf } from "@/api/problem";
import { RULES } from "@/api/rules.gen";
import { Entrance } from "./entrance";
import { EntranceProblem } from "./entrance-problem";
import { type Session, sessionQuery, useSetSession } from "./session";
import { waysQuery } from "./ways";

interface Fields {
  current: string;
  wanted: string;
  again: string;
  tokens: boolean;
  links: boolean;
}
const { minLength } = RULES.PasswordChange.new_password;

/** A new password: wanted by the person, or by the server before anything else. */
export function PasswordPage() {
  const { data: session } = useQuery(sessionQuery);
  return session && <PasswordForm session={session} />;
}

function PasswordForm({ session }: { session: Session }) {
  const { t } = useTranslation(["identity", "common"]);
  const { next } = useSearch({ from: "/password" });
  const navigate = useNavigate();
  const setSession = useSetSession();
  const { data: ways } = useQuery(waysQuery);
  const linked = ways?.ways.some(({ label }) => label !== null) ?? false;
  const [problem, setProblem] = useState<ApiProblem>();
  const [busy, setBusy] = useState(false);

  async function change(fields: Fields) {
    setBusy(true);
    try {
      const answer = api.POST("/api/v1/session/password", {
        body: {
          current_password: fields.current,
          new_password: fields.wanted,
          end_access_tokens: fields.tokens ?? false,
          end_links: fields.links ?? false,
        },
      });
      setSession(await body(answer));
      await navigate({ href: next ?? "/" });
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  }

  return (
    <Entrance
      title={t("change_password")}
      purpose={session.must_change_password ? t("must_change") : t("change_purpose")}
    >
      {problem && <EntranceProblem problem={problem} />}
      <Form<Fields> layout="vertical" requiredMark={false} onFinish={change} disabled={busy}>
        <input type="text" name="username" value={session.user.name} autoComplete="username" readOnly hidden />
        <Form.Item name="current" label={t("current")} rules={[{ required: true, message: t("password_needed") }]}>
          <Input.Password autoFocus autoComplete="current-password" />
        </Form.Item>
        <Form.Item
          name="wanted"
          label={t("wanted")}
          extra={t("wanted_rule", { count: minLength })}
          dependencies={["current"]}
          rules={[
            { required: true, message: t("password_needed") },
            { min: minLength, message: t("wanted_rule", { count: minLength }) },
            ({ getFieldValue }) => ({
              validator: (_, value) =>
                value && value === getFieldValue("current") ? Promise.reject(new Error(t("same"))) : Promise.resolve(),
            }),
          ]}
        >
          <Input.Password autoComplete="new-password" />
        </Form.Item>
        <Form.Item
          name="again"
          label={t("again")}
          dependencies={["wanted"]}
          rules={[
            { required: true, message: t("again_needed") },
            ({ getFieldValue }) => ({
              validator: (_, value) =>
                !value || value === getFieldValue("wanted")
                  ? Promise.resolve()
                  : Promise.reject(new Error(t("differ"))),
            }),
          ]}
        >
          <Input.Password autoComplete="new-password" />
        </Form.Item>
        {!session.must_change_password && (
          <Form.Item name="tokens" valuePropName="checked" extra={t("end_tokens_why")}>
            <Checkbox>{t("end_tokens")}</Checkbox>
          </Form.Item>
        )}
        {linked && (
          <Form.Item
            name="links"
            valuePropName="checked"
            initialValue={session.must_change_password}
            extra={t("end_links_why")}
          >
            <Checkbox>{t("end_links")}</Checkbox>
          </Form.Item>
        )}
        <Button type="primary" htmlType="submit" block loading={busy} disabled={false}>
          {t("save_password")}
        </Button>
      </Form>
      {!session.must_change_password && (
        <div className="entrance-again">
          <Button type="link" onClick={() => navigate({ href: next ?? "/" })}>
            {t("common:actions.cancel")}
          </Button>
        </div>
      )}
    </Entrance>
  );
}
