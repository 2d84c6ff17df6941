import { queryOptions } from "@tanstack/react-query";
import { Button, Form, Input } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body, type Schemas } from "@/api/client";
import { problemOf } from "@/api/problem";
import { ProblemNote } from "@/elements/problem-note";
import { useFieldWords } from "@/words/told";
import { useSession } from "./session";
import { WayMark } from "./way-mark";
import { leaveFor, type WayName } from "./ways";
import "./sign-in-again.css";

type Proofs = Schemas["Proofs"];

/** By what the person at the screen shows that it is they, and whether that is needed now. */
export const proofsQuery = queryOptions({
  queryKey: ["proofs"],
  staleTime: 0,
  gcTime: 0,
  queryFn: () => body(api.GET("/api/v1/session/proof")),
});

/** The password proves it for some minutes. */
export function proveBy(password: string): Promise<unknown> {
  return body(api.POST("/api/v1/session/proof", { body: { password } }));
}

interface Props {
  proofs: Proofs;
  /** The page to which the person comes back from a provider. */
  back: string;
  /** What is pressed with the password. */
  goOn: string;
  onPassword: (password: string) => Promise<unknown>;
}

/** Asks who sits there once more, by what the account has: its password, or a provider that has people sign in anew. */
export function SignInAgain({ proofs, back, goOn, onPassword }: Props) {
  const { t } = useTranslation("identity");
  const { user } = useSession();
  const [form] = Form.useForm<{ password: string }>();
  const [busy, setBusy] = useState<"password" | WayName>();
  const [failure, setFailure] = useState<unknown>();
  const fieldWords = useFieldWords();
  const { password, ways, minutes } = proofs;

  async function attempt(what: "password" | WayName, work: () => Promise<unknown>) {
    setBusy(what);
    setFailure(undefined);
    try {
      await work();
      // Whoever is led to a provider is on their way: nothing else is pressed meanwhile.
      if (what === "password") setBusy(undefined);
    } catch (error) {
      const mistakes = problemOf(error).errors.filter(({ field }) => field === "password");
      if (mistakes.length > 0) form.setFields([{ name: "password", errors: mistakes.map(fieldWords) }]);
      else setFailure(error);
      setBusy(undefined);
    }
  }

  async function leave(way: WayName) {
    const started = await body(api.POST("/api/v1/session/ways/{way}/prove", { params: { path: { way } } }));
    leaveFor(started, { next: back, linking: false, again: true });
  }

  return (
    <div className="again">
      {failure !== undefined && <ProblemNote error={failure} />}
      <p>{password || ways.length > 0 ? t("again_why", { count: minutes }) : t("again_nothing")}</p>
      {password && (
        <Form
          form={form}
          layout="vertical"
          requiredMark={false}
          disabled={busy !== undefined}
          onFinish={(fields) => attempt("password", () => onPassword(fields.password))}
        >
          <input type="text" name="username" value={user.name} autoComplete="username" readOnly hidden />
          <Form.Item name="password" label={t("current")} rules={[{ required: true, message: t("password_needed") }]}>
            <Input.Password autoFocus autoComplete="current-password" />
          </Form.Item>
          <Button type="primary" htmlType="submit" block loading={busy === "password"}>
            {goOn}
          </Button>
        </Form>
      )}
      {password && ways.length > 0 && (
        <div className="again-or" aria-hidden>
          {t("or")}
        </div>
      )}
      {ways.map((way) => (
        <Button
          key={way}
          block
          icon={<WayMark way={way} />}
          loading={busy === way}
          disabled={busy !== undefined && busy !== way}
          onClick={() => attempt(way, () => leave(way))}
        >
          {t("again_by", { provider: t(`way.${way}`) })}
        </Button>
      ))}
    </div>
  );
}
