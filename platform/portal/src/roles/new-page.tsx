import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Form } from "antd";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useFeedback } from "@/elements/feedback";
import { Page } from "@/elements/page";
import { Denied } from "@/elements/states";
import { Wizard } from "@/elements/wizard";
import { useMay } from "@/identity/session";
import { PEOPLE, type Role } from "@/people/queries";
import { DescriptionField, GrantsField, NameField } from "./role-fields";

interface FormFields {
  name: string;
  description: string;
  grants: Role["grants"];
}

const EMPTY: FormFields = { name: "", description: "", grants: [] };

const STEPS = [
  { key: "name", fields: ["name"] },
  { key: "description", fields: ["description"] },
  { key: "permissions", fields: ["grants"] },
] as const;

export function NewRolePage() {
  const { t } = useTranslation("roles");
  const may = useMay();
  return (
    <Page title={t("new")} purpose={t("new_purpose")} crumbs={[{ to: "/roles", label: t("title") }]}>
      {may("roles:manage") ? <NewRole /> : <Denied />}
    </Page>
  );
}

function NewRole() {
  const { t } = useTranslation("roles");
  const { message } = useFeedback();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [form] = Form.useForm<FormFields>();
  const contents = { name: <NameField />, description: <DescriptionField />, permissions: <GrantsField /> };
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
      send={({ name, description, grants }: FormFields) =>
        body(api.POST("/api/v1/roles", { body: { name: name.trim(), description: description.trim(), grants } }))
      }
      done={async (made) => {
        queries.invalidateQueries({ queryKey: PEOPLE });
        message.success(t("made", { name: made.name }));
        await navigate({ to: "/roles/$id", params: { id: made.id } });
      }}
      cancel={() => navigate({ to: "/roles", search: {} })}
      submitText={t("submit")}
      action="roles/create"
      failed={t("make_failed")}
    />
  );
}
