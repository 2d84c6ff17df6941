import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Form } from "antd";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useFeedback } from "@/elements/feedback";
import { Wizard } from "@/elements/wizard";
import { PEOPLE } from "@/people/queries";
import { ConfirmStep } from "./confirm-step";
import { EMPTY, type FormFields, requestOf, STEPS, withPasswords } from "./form";
import { PeopleStep } from "./people-step";
import { RightsStep } from "./rights-step";

/** One to ten new users: who they are, what they may do, and their first passwords. */
export function NewUsers() {
  const { t } = useTranslation("users");
  const { message } = useFeedback();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [form] = Form.useForm<FormFields>();
  const contents = { information: <PeopleStep />, roles: <RightsStep />, confirm: <ConfirmStep /> };
  return (
    <Wizard<FormFields, number>
      form={form}
      start={EMPTY}
      steps={STEPS.map((step) => ({
        ...step,
        title: t(`step_${step.key}`),
        hint: t(`step_${step.key}_hint`),
        content: contents[step.key],
      }))}
      prepare={(step) => {
        if (step === "confirm") form.setFieldsValue({ users: withPasswords(form.getFieldsValue(true).users) });
      }}
      send={async (fields) => {
        const made = await body(api.POST("/api/v1/users/batch", { body: requestOf(fields) }));
        return made.items.length;
      }}
      done={async (count) => {
        queries.invalidateQueries({ queryKey: PEOPLE });
        message.success(t("made", { count }));
        await navigate({ to: "/users", search: {} });
      }}
      cancel={() => navigate({ to: "/users", search: {} })}
      submitText={t("submit")}
      action="users/create"
      failed={t("make_failed")}
    />
  );
}
