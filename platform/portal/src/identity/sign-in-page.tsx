import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Button, Form, Input } from "antd";
import { CircleCheck } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { type ApiProblem, problemOf } from "@/api/problem";
import { useFeedback } from "@/elements/feedback";
import { aboutQuery } from "./about";
import { Entrance } from "./entrance";
import { EntranceProblem } from "./entrance-problem";
import { useSetSession } from "./session";
import { WayButtons } from "./way-buttons";

interface Fields {
  name: string;
  password: string;
}

export function SignInPage() {
  const { t } = useTranslation("identity");
  const { next, registered } = useSearch({ from: "/sign-in" });
  const about = useQuery(aboutQuery);
  const navigate = useNavigate();
  const setSession = useSetSession();
  const [problem, setProblem] = useState<ApiProblem>();
  const [busy, setBusy] = useState(false);
  const { notification } = useFeedback();

  // What stays until it is dismissed was said to the person before, not to the next one.
  useEffect(() => notification.destroy(), [notification]);

  async function signIn(fields: Fields) {
    setBusy(true);
    try {
      const session = await body(api.POST("/api/v1/session", { body: fields }));
      setSession(session);
      await (session.must_change_password
        ? navigate({ to: "/password", search: { next } })
        : navigate({ href: next ?? "/" }));
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  }

  return (
    <Entrance title={t("sign_in")} purpose={t("sign_in_purpose")}>
      {problem && <EntranceProblem problem={problem} />}
      {registered && !problem && (
        <div className="entrance-done" role="status">
          <CircleCheck size={14} aria-hidden />
          <span>{t("registered", { name: registered })}</span>
        </div>
      )}
      <Form<Fields>
        layout="vertical"
        requiredMark={false}
        initialValues={{ name: registered }}
        onFinish={signIn}
        disabled={busy}
      >
        <Form.Item name="name" label={t("name")} rules={[{ required: true, message: t("name_needed") }]}>
          <Input
            size="large"
            autoFocus={!registered}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
          />
        </Form.Item>
        <Form.Item name="password" label={t("password")} rules={[{ required: true, message: t("password_needed") }]}>
          <Input.Password size="large" autoFocus={Boolean(registered)} autoComplete="current-password" />
        </Form.Item>
        <Button type="primary" htmlType="submit" size="large" block loading={busy} disabled={false}>
          {t("sign_in")}
        </Button>
      </Form>
      {about.data && about.data.ways_in.length > 0 && (
        <WayButtons ways={about.data.ways_in} next={next} onProblem={setProblem} />
      )}
      {about.data?.registration && (
        <div className="entrance-again">
          <Link to="/register" search={{}}>
            {t("register")}
          </Link>
        </div>
      )}
    </Entrance>
  );
}
