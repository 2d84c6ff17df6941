import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Form } from "antd";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { Fact, Facts } from "@/elements/facts";
import { useFeedback } from "@/elements/feedback";
import { Page } from "@/elements/page";
import { Denied } from "@/elements/states";
import { Wizard } from "@/elements/wizard";
import { useRoleName } from "@/identity/role-name";
import { useMay } from "@/identity/session";
import { PEOPLE, roleQuery } from "@/people/queries";
import { RoleChoice } from "@/people/role-choice";
import { GroupFields } from "./group-fields";

interface FormFields {
  name: string;
  description: string;
  roles: string[];
}

const EMPTY: FormFields = { name: "", description: "", roles: [] };

const STEPS = [
  { key: "information", fields: ["name", "description"] },
  { key: "roles", fields: ["roles"] },
  { key: "confirm", fields: [] },
] as const;

export function NewGroupPage() {
  const { t } = useTranslation("groups");
  const may = useMay();
  return (
    <Page title={t("new")} purpose={t("new_purpose")} crumbs={[{ to: "/groups", label: t("title") }]}>
      {may("groups:manage") ? <NewGroup /> : <Denied />}
    </Page>
  );
}

function NewGroup() {
  const { t } = useTranslation("groups");
  const { message } = useFeedback();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [form] = Form.useForm<FormFields>();
  const contents = { information: <GroupFields />, roles: <RolesStep />, confirm: <ConfirmStep /> };
  return (
    <Wizard
      form={form}
      start={EMPTY}
      steps={STEPS.map((step) => ({
        ...step,
        title: t(`step_${step.key}`),
        hint: t(`step_${step.key}_hint`),
        content: contents[step.key],
      }))}
      send={({ name, description, roles }: FormFields) =>
        body(api.POST("/api/v1/groups", { body: { name: name.trim(), description: description.trim(), roles } }))
      }
      done={async (made) => {
        queries.invalidateQueries({ queryKey: PEOPLE });
        message.success(t("made", { name: made.name }));
        await navigate({ to: "/groups/$id", params: { id: made.id } });
      }}
      cancel={() => navigate({ to: "/groups", search: {} })}
      submitText={t("submit")}
      action="groups/create"
      failed={t("make_failed")}
    />
  );
}

function RolesStep() {
  const { t } = useTranslation("people");
  return (
    <Form.Item
      name="roles"
      className="last-item"
      rules={[{ required: true, type: "array", min: 1, message: t("role_needed") }]}
    >
      <RoleChoice />
    </Form.Item>
  );
}

function ConfirmStep() {
  const { t } = useTranslation("groups");
  const form = Form.useFormInstance<FormFields>();
  const roleName = useRoleName();
  const fields = { ...EMPTY, ...(Form.useWatch([], { form, preserve: true }) as FormFields | undefined) };
  const found = useQueries({ queries: fields.roles.map((id) => roleQuery(id)) });
  const roles = fields.roles.map((id, index) => roleName({ id, name: found[index]?.data?.name ?? "…" }));
  return (
    <Facts>
      <Fact name={t("name")}>{fields.name}</Fact>
      <Fact name={t("roles")}>{roles.join(", ")}</Fact>
      <Fact name={t("description")} wide>
        {fields.description}
      </Fact>
    </Facts>
  );
}
