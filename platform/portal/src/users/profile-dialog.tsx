import { Form } from "antd";
import Input from "antd/es/input/Input";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { RULES } from "@/api/rules.gen";
import { useFieldRules } from "@/elements/rules";
import { EditDialog } from "@/people/edit-dialog";
import { type Account, ifMatch } from "@/people/queries";
import { useReread } from "./reread";

/** Nickname, phone and e-mail; the user name stays for good. */
export default function ProfileDialog({ account, onClose }: { account: Account; onClose: (saved: boolean) => void }) {
  const { t } = useTranslation("users");
  const rules = useFieldRules();
  const { name } = account;
  return (
    <EditDialog
      title={t("profile_title", { name })}
      okText={t("save")}
      shown={account}
      fieldsOf={({ nickname, phone, email }) => ({ nickname, phone, email })}
      reread={useReread(account.id)}
      save={({ nickname, phone, email }, shown) =>
        body(
          api.PATCH("/api/v1/users/{user_id}", {
            params: { path: { user_id: shown.id }, header: ifMatch(shown) },
            body: { nickname, phone, email },
          }),
        )
      }
      done={t("done_profile", { name })}
      onClose={onClose}
      stored={({ nickname, phone, email }) => [nickname, phone, email].filter(Boolean).join(", ")}
    >
      {() => (
        <>
          <Form.Item
            name="nickname"
            label={t("nickname")}
            rules={rules({ ...RULES.UserUpdate.nickname, required: true })}
          >
            <Input autoComplete="off" />
          </Form.Item>
          <Form.Item
            name="phone"
            label={t("phone")}
            rules={rules(RULES.UserUpdate.phone, { pattern: t("phone_rule") })}
          >
            <Input inputMode="tel" autoComplete="off" />
          </Form.Item>
          <Form.Item
            name="email"
            label={t("email")}
            rules={rules(RULES.UserUpdate.email, { pattern: t("email_rule") })}
            className="last-item"
          >
            <Input inputMode="email" autoComplete="off" />
          </Form.Item>
        </>
      )}
    </EditDialog>
  );
}
