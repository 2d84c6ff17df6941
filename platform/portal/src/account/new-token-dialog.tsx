import { useQuery } from "@tanstack/react-query";
import { Checkbox, Form, Modal, Radio } from "antd";
import Input from "antd/es/input/Input";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body, type Schemas } from "@/api/client";
import { RULES } from "@/api/rules.gen";
import { useFocusBack } from "@/elements/focus";
import { useFieldRules } from "@/elements/rules";
import { Answer } from "@/elements/states";
import { day } from "@/formats/moments";
import { proofsQuery, proveBy, SignInAgain } from "@/identity/sign-in-again";
import { FormDialog } from "@/people/form-dialog";
import { useGrantWords } from "@/people/grant-words";
import { tokenOptionsQuery } from "./queries";
import { everything, type Grant, terms, usualTerm } from "./scope";

type Options = Schemas["AccessTokenOptions"];

interface Fields {
  name: string;
  read_only: boolean;
  all: boolean;
  grants: Grant[];
  days: number;
}

interface DialogProps {
  onMade: (made: Schemas["NewAccessToken"]) => void;
  onClose: (saved: boolean) => void;
}

/** Who sits there, then a name, what it may do, and until when: what may be chosen is asked of the server first. */
export default function NewTokenDialog({ onMade, onClose }: DialogProps) {
  useFocusBack();
  const { t } = useTranslation("account");
  const proofs = useQuery(proofsQuery);
  const query = useQuery(tokenOptionsQuery);
  const [proven, setProven] = useState(false);
  const ready = proven || proofs.data?.fresh;
  if (ready && query.data) return <TokenForm options={query.data} onMade={onMade} onClose={onClose} />;
  return (
    <Modal open width={520} title={t("new_token")} footer={null} onCancel={() => onClose(false)}>
      {ready ? (
        <Answer query={query} rows={4}>
          {() => null}
        </Answer>
      ) : (
        <Answer query={proofs} rows={4}>
          {(found) => <Again proofs={found} onProven={() => setProven(true)} />}
        </Answer>
      )}
    </Modal>
  );
}

function Again({ proofs, onProven }: { proofs: Schemas["Proofs"]; onProven: () => void }) {
  const { t } = useTranslation("account");
  return (
    <SignInAgain
      proofs={proofs}
      back="/account"
      goOn={t("again_go_on")}
      onPassword={async (password) => {
        await proveBy(password);
        onProven();
      }}
    />
  );
}

function TokenForm({ options, onMade, onClose }: DialogProps & { options: Options }) {
  const { t, i18n } = useTranslation("account");
  const rules = useFieldRules();
  const [form] = Form.useForm<Fields>();
  const all = Form.useWatch("all", form) ?? true;
  const days = Form.useWatch("days", form) ?? usualTerm(options.most_days);
  // It took so long to fill in the form that it has to be shown once more who sits there.
  const [late, setLate] = useState(false);
  const proofs = useQuery({ ...proofsQuery, enabled: late });
  const until = day(Date.now() + days * 86_400_000, i18n.language);

  async function save(fields: Fields) {
    const grants = fields.all ? everything(options) : fields.grants;
    const { name, read_only } = fields;
    const asked = api.POST("/api/v1/access-tokens", { body: { name, grants, read_only, days: fields.days } });
    onMade(await body(asked));
  }

  return (
    <FormDialog<Fields>
      form={form}
      title={t("new_token")}
      okText={t("make_token")}
      start={{ name: "", read_only: true, all: true, grants: [], days: usualTerm(options.most_days) }}
      save={save}
      done={t("token_made")}
      onClose={onClose}
      refused={({ code }) => {
        if (code === "sign_in_again") setLate(true);
        return code === "sign_in_again";
      }}
      note={late && proofs.data && <Again proofs={proofs.data} onProven={() => setLate(false)} />}
    >
      <Form.Item
        name="name"
        label={t("token_name")}
        extra={t("token_name_for")}
        rules={rules({ ...RULES.AccessTokenCreate.name, required: true })}
      >
        <Input autoComplete="off" />
      </Form.Item>
      <Form.Item name="read_only" label={t("access")}>
        <Radio.Group
          className="token-choices"
          options={[
            { value: true, label: t("access_reads") },
            { value: false, label: t("access_writes") },
          ]}
        />
      </Form.Item>
      <Form.Item name="all" label={t("scope")}>
        <Radio.Group
          className="token-choices"
          options={[
            { value: true, label: t("scope_all") },
            { value: false, label: t("scope_some") },
          ]}
        />
      </Form.Item>
      {!all && (
        <Form.Item
          name="grants"
          label={t("permissions")}
          rules={[{ required: true, type: "array", min: 1, message: t("permission_needed") }]}
        >
          <Permissions names={options.permissions} />
        </Form.Item>
      )}
      <Form.Item name="days" label={t("term")} extra={t("term_until", { until })} className="last-item">
        <Radio.Group
          optionType="button"
          options={terms(options.most_days).map((each) => ({ value: each, label: t("days", { count: each }) }))}
        />
      </Form.Item>
    </FormDialog>
  );
}

interface PermissionsProps {
  names: readonly Grant[];
  value?: Grant[];
  onChange?: (grants: Grant[]) => void;
}

/** The permissions that the person at the screen holds. */
function Permissions({ names, value = [], onChange }: PermissionsProps) {
  const { t } = useTranslation("account");
  const words = useGrantWords();
  const toggle = (name: Grant, wanted: boolean) =>
    onChange?.(wanted ? [...value, name] : value.filter((each) => each !== name));
  return (
    <fieldset className="token-permissions">
      <legend className="visually-hidden">{t("permissions")}</legend>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <Checkbox checked={value.includes(name)} onChange={({ target }) => toggle(name, target.checked)}>
              {words(name)} <code className="quiet">{name}</code>
            </Checkbox>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
