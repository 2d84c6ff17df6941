import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Button, Form } from "antd";
import Input from "antd/es/input/Input";
import TextArea from "antd/es/input/TextArea";
import { FlaskConical } from "lucide-react";
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body, type Schemas } from "@/api/client";
import { problemOf } from "@/api/problem";
import { useFailures } from "@/elements/failures";
import { fieldPath } from "@/elements/field-path";
import { Leaving } from "@/elements/leaving";
import { Panel } from "@/elements/page";
import { create } from "@/tasks/changes";
import { useFieldWords } from "@/words/told";
import { useEstimate } from "./estimate";
import {
  deviceOption,
  exampleFields,
  type FormFields,
  limitsOf,
  offersPrivileged,
  requestOf,
  type TrainingOptions,
  useRules,
} from "./form";
import { ProgramFields } from "./program-fields";
import { RequestKey } from "./request-key";
import "./new-form.css";

// Below the first fields.
const ParameterFields = lazy(() => import("./parameter-fields"));
const DeviceFields = lazy(() => import("./device-fields"));
const MoreFields = lazy(() => import("./more-fields"));
// It answers a moment after the form is there; what it needs comes meanwhile.
const EstimatePanel = lazy(() => import("./estimate-panel"));

/** Says of which action a failure is told. */
const CREATE = "training/create";

/** A new training on one page; the panel beside it says what would happen. */
export function NewTrainingForm({ options, start }: { options: TrainingOptions; start: FormFields }) {
  const { t } = useTranslation(["training", "common"]);
  const failures = useFailures();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [form] = Form.useForm<FormFields>();
  const watched = Form.useWatch([], form) as FormFields | undefined;
  const fields = { ...start, ...watched };
  const device = deviceOption(options, fields);
  const offered = offersPrivileged(options, fields.virtual_cluster);
  const limits = limitsOf(options, fields);
  const estimate = useEstimate(requestOf(fields, limits));
  // What was ticked where it is offered is not asked for where it is not.
  useEffect(() => {
    if (!offered && fields.privileged) form.setFieldValue("privileged", false);
  }, [form, offered, fields.privileged]);
  const [busy, setBusy] = useState(false);
  const touched = useRef(false);
  const [key] = useState(() => new RequestKey());
  const rules = useRules();
  const fieldWords = useFieldWords();

  function fillFrom(example: Schemas["Example"]) {
    form.setFieldsValue({ ...exampleFields(example), name: form.getFieldValue("name") || exampleFields(example).name });
    touched.current = true;
  }

  function showErrors(errors: Schemas["FieldError"][]) {
    form.setFields(
      errors.map((error) => ({
        name: fieldPath(error.field) as never,
        errors: [fieldWords(error)],
      })),
    );
    const first = errors[0]?.field.split(".")[0];
    if (first) form.scrollToField(first, { block: "center", focus: true });
  }

  // What this form could not do is of no use on another page.
  const settle = useEffectEvent(() => failures.settle(CREATE));
  useEffect(() => () => settle(), []);

  async function submit() {
    setBusy(true);
    failures.settle(CREATE);
    try {
      const request = requestOf(form.getFieldsValue(true), limits);
      const task = await body(
        api.POST("/api/v1/trainings", { body: request, params: { header: { "idempotency-key": key.of(request) } } }),
      );
      touched.current = false;
      create(queries, task);
      await navigate({ to: "/training/$id", params: { id: task.id }, search: { tab: "log" } });
    } catch (error) {
      const problem = problemOf(error);
      key.failed(problem);
      const atFields = problem.errors.filter((each) => each.field);
      if (atFields.length > 0) showErrors(atFields);
      else failures.tell({ key: CREATE, title: t("create_failed"), error, retry: form.submit });
    } finally {
      setBusy(false);
    }
  }

  return (
    <Form<FormFields>
      form={form}
      layout="vertical"
      initialValues={start}
      onFinish={submit}
      onValuesChange={() => {
        touched.current = true;
      }}
      scrollToFirstError={{ block: "center", focus: true }}
      className="new-training"
    >
      <div className="new-sections">
        {options.examples.length > 0 && (
          <div className="examples">
            <FlaskConical size={15} aria-hidden />
            <span>{t("examples")}</span>
            {options.examples.map((example) => (
              <Button key={example.name} size="small" onClick={() => fillFrom(example)}>
                {example.name}
              </Button>
            ))}
          </div>
        )}
        <Panel title={t("section_what")}>
          <Form.Item
            name="name"
            label={t("field_name")}
            rules={rules("name")}
            extra={t("field_name_rule")}
            validateFirst
          >
            <Input className="field-medium" autoComplete="off" spellCheck={false} />
          </Form.Item>
          <Form.Item
            name="description"
            label={t("field_description")}
            rules={rules("description")}
            className="last-item"
          >
            <TextArea autoSize={{ minRows: 1, maxRows: 6 }} />
          </Form.Item>
        </Panel>
        <Panel title={t("section_program")}>
          <ProgramFields options={options} fields={fields} />
          <Suspense fallback={<div className="parameters-coming" aria-busy="true" />}>
            <ParameterFields />
          </Suspense>
        </Panel>
        <Panel title={t("section_devices")}>
          <Suspense fallback={<div className="devices-coming" aria-busy="true" />}>
            <DeviceFields options={options} fields={fields} device={device} />
          </Suspense>
        </Panel>
        <Panel title={t("section_more")}>
          <Suspense fallback={<div className="more-coming" aria-busy="true" />}>
            <MoreFields options={options} limits={limits} privileged={offered} />
          </Suspense>
        </Panel>
        <div className="new-submit">
          <Button type="primary" size="large" htmlType="submit" loading={busy}>
            {t("start")}
          </Button>
          <Button size="large" onClick={() => navigate({ to: "/training" })}>
            {t("common:actions.cancel")}
          </Button>
        </div>
      </div>
      <Suspense fallback={<aside className="estimate" aria-busy="true" />}>
        <EstimatePanel estimate={estimate} fields={fields} request={requestOf(fields, limits)} />
      </Suspense>
      <Leaving
        unsaved={() => touched.current}
        words={{ title: t("leave_question"), content: t("leave_means"), leave: t("leave"), stay: t("stay") }}
      />
    </Form>
  );
}
