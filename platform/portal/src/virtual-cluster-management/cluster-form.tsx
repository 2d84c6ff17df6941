import { useNavigate } from "@tanstack/react-router";
import { Button, Form, InputNumber, Radio } from "antd";
import Input from "antd/es/input/Input";
import { TriangleAlert } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type ApiProblem, problemOf } from "@/api/problem";
import { RULES } from "@/api/rules.gen";
import { fieldPath } from "@/elements/field-path";
import { Leaving } from "@/elements/leaving";
import { Panel } from "@/elements/page";
import { ProblemNote } from "@/elements/problem-note";
import { useFieldRules, useNumberRules } from "@/elements/rules";
import { Loading } from "@/elements/states";
import type { VirtualCluster } from "@/virtual-clusters/active";
import { problemWords, useFieldWords } from "@/words/told";
import { type FormFields, fieldsOf, typesOf } from "./form";
import { Grants } from "./grants";
import { OutlookPanel } from "./outlook-panel";
import { type Capacity, useClustersChanged } from "./queries";
import "./virtual-clusters.css";

const SecurityFields = lazy(() => import("./security-fields"));
// Seldom is somebody else quicker.
const Behind = lazy(async () => ({ default: (await import("@/people/edit-dialog")).Behind }));
const Loaded = lazy(async () => ({ default: (await import("@/people/edit-dialog")).Loaded }));
const StoredTerms = lazy(() => import("./stored-terms"));

interface ClusterFormProps {
  capacity: readonly Capacity[];
  /** The one that is edited; none: a new one is made. */
  cluster?: VirtualCluster;
  reread?: () => Promise<VirtualCluster>;
  submitText: string;
  /** `base` is what the fields are changes of. Raises ApiProblem. */
  send: (fields: FormFields, base: VirtualCluster | undefined) => Promise<VirtualCluster>;
  done: (made: VirtualCluster) => unknown;
}

/** The name is somebody's, still. */
const NAME_TAKEN: readonly string[] = ["virtual_cluster_name_taken", "virtual_cluster_being_deleted"];

/** All ports of a network are one field. */
function placeOf(field: string): (string | number)[] {
  return fieldPath(field).slice(0, field.startsWith("egress.") ? 3 : undefined);
}

/** A virtual cluster on one page; the panel beside it says what is left of the cluster. */
export function ClusterForm({ capacity, cluster, reread, submitText, send, done }: ClusterFormProps) {
  const { t, i18n } = useTranslation(["virtual_cluster_management", "common"]);
  const navigate = useNavigate();
  const rules = useFieldRules();
  const numbers = useNumberRules();
  const fieldWords = useFieldWords();
  const changed = useClustersChanged();
  const [form] = Form.useForm<FormFields>();
  // What was looked at when the form was opened stays what is edited, whatever is read of it meanwhile.
  const [base, setBase] = useState(cluster);
  const [types] = useState(() => typesOf(capacity, cluster));
  const [start] = useState(() => fieldsOf(types, cluster));
  const [problem, setProblem] = useState<ApiProblem>();
  const [behind, setBehind] = useState<"behind" | "loaded">();
  const [busy, setBusy] = useState(false);
  const unsaved = useRef(false);
  const fields = { ...start, ...(Form.useWatch([], form) as FormFields | undefined) };
  const tasks = cluster ? cluster.running_tasks + cluster.waiting_tasks : 0;

  function tell(error: unknown) {
    const told = problemOf(error);
    const placed = told.errors.filter(({ field }) => (field.split(".")[0] ?? "") in start);
    if (!cluster && NAME_TAKEN.includes(told.code)) {
      form.setFields([{ name: "name", errors: [problemWords(i18n, told).detail] }]);
      form.scrollToField("name", { block: "center", focus: true });
    } else if (placed.length > 0) {
      form.setFields(placed.map((each) => ({ name: placeOf(each.field) as never, errors: [fieldWords(each)] })));
      form.scrollToField(placeOf(placed[0]?.field ?? ""), { block: "center", focus: true });
    } else if (told.status === 412) setBehind("behind");
    else setProblem(told);
  }

  async function submit() {
    setBusy(true);
    setProblem(undefined);
    try {
      const made = await send(form.getFieldsValue(true), base);
      unsaved.current = false;
      changed();
      await done(made);
    } catch (error) {
      tell(error);
      changed(); // what forbids it may be news
    } finally {
      setBusy(false);
    }
  }

  async function loadAnew() {
    if (!reread) return;
    setProblem(undefined);
    try {
      const now = await reread();
      const fresh = fieldsOf(types, now);
      for (const type of types) {
        for (const part of ["devices", "max_devices_per_user"] as const) {
          if (!form.isFieldTouched([part, type])) form.setFieldValue([part, type], fresh[part][type]);
        }
      }
      if (!form.isFieldsTouched(["limited", "max_hours"])) {
        form.setFieldsValue({ limited: fresh.limited, max_hours: fresh.max_hours });
      }
      for (const part of ["borrows", "pod_security", "egress"] as const) {
        if (!form.isFieldTouched(part)) form.setFieldValue(part, fresh[part]);
      }
      setBase(now);
      setBehind("loaded");
    } catch (error) {
      setProblem(problemOf(error));
    }
  }

  return (
    <Form<FormFields>
      form={form}
      layout="vertical"
      className="cluster-form"
      initialValues={start}
      onFinish={submit}
      onValuesChange={() => {
        unsaved.current = true;
      }}
      scrollToFirstError={{ block: "center", focus: true }}
    >
      <div className="cluster-sections">
        {tasks > 0 && (
          <p className="cluster-warning" role="status">
            <TriangleAlert size={15} aria-hidden />
            <span>{t("edit_in_use", { count: tasks })}</span>
          </p>
        )}
        {!cluster && (
          <Panel title={t("section_name")}>
            <Form.Item
              name="name"
              label={t("name")}
              extra={t("name_rule")}
              rules={rules(RULES.VirtualClusterCreate.name, { pattern: t("name_pattern") })}
              validateFirst
              className="last-item"
            >
              <Input className="field-name" autoComplete="off" spellCheck={false} />
            </Form.Item>
          </Panel>
        )}
        <Panel title={t("devices")}>
          <p className="cluster-hint">{t("devices_hint")}</p>
          <Grants types={types} capacity={capacity} />
          {types.length > 0 && (
            <Form.Item name="borrows" label={t("borrows")} extra={t("borrows_means")} className="last-item">
              <Radio.Group
                aria-label={t("borrows")}
                options={[
                  { value: false, label: t("borrows_nothing") },
                  { value: true, label: t("borrows_idle") },
                ]}
              />
            </Form.Item>
          )}
        </Panel>
        <Panel title={t("section_time")}>
          <Form.Item name="limited" label={t("max_hours")} extra={t("max_hours_means")}>
            <Radio.Group
              aria-label={t("max_hours")}
              options={[
                { value: false, label: t("no_limit") },
                { value: true, label: t("limited") },
              ]}
            />
          </Form.Item>
          <Form.Item
            name="max_hours"
            label={t("hours_label")}
            hidden={!fields.limited}
            rules={fields.limited ? numbers({ ...RULES.VirtualClusterCreate.max_hours, required: true }) : []}
            className="last-item"
          >
            <InputNumber precision={0} />
          </Form.Item>
        </Panel>
        <Panel title={t("section_security")}>
          <Suspense fallback={<Loading rows={3} />}>
            <SecurityFields />
          </Suspense>
        </Panel>
        {problem && <ProblemNote error={problem} />}
        <Suspense>
          {behind === "behind" && base && <Behind shown={base} loadAnew={loadAnew} />}
          {behind === "loaded" && (
            <Loaded>
              <StoredTerms types={types} fields={fields} stored={fieldsOf(types, base)} />
            </Loaded>
          )}
        </Suspense>
        <div className="row">
          <Button type="primary" size="large" htmlType="submit" loading={busy}>
            {submitText}
          </Button>
          <Button size="large" onClick={() => navigate({ to: "/virtual-clusters", search: {} })}>
            {t("common:actions.cancel")}
          </Button>
        </div>
      </div>
      <OutlookPanel capacity={capacity} fields={fields} cluster={base} tasks={tasks} />
      <Suspense>
        <Leaving
          unsaved={() => unsaved.current}
          words={{
            title: t("common:leaving.title"),
            content: t("common:leaving.content"),
            leave: t("common:leaving.leave"),
            stay: t("common:leaving.stay"),
          }}
        />
      </Suspense>
    </Form>
  );
}
