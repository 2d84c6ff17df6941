import type { UseQueryResult } from "@tanstack/react-query";
import { Tabs } from "antd";
import { CircleCheck, CircleX, Hourglass } from "lucide-react";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/api/problem";
import { CodeBlock } from "@/elements/code";
import { deviceName } from "@/formats/devices";
import { asCurl, asPython } from "@/tasks/as-code";
import { useFieldWords, useKnown, useProblemWords, useReason } from "@/words/told";
import { type Estimate, isAboutSomething } from "./estimate";
import { type FormFields, PATH, type TaskCreate } from "./form";

/** Answers once a program is chosen: what will be used, what is free, whether it starts now, what forbids it; and as code. */
export default function EstimatePanel({
  estimate,
  fields,
  request,
}: {
  estimate: UseQueryResult<Estimate>;
  fields: FormFields;
  request: TaskCreate;
}) {
  const { t } = useTranslation("training");
  return (
    <aside className="estimate" aria-label={t("estimate.title")}>
      <div className="estimate-inner">
        {isAboutSomething(request) && <Verdict estimate={estimate} fields={fields} />}
        <section>
          <h2>{t("estimate.as_code")}</h2>
          <Tabs
            size="small"
            items={[
              {
                key: "curl",
                label: "curl",
                children: (
                  <CodeBlock label={t("estimate.as_code")} text={asCurl(window.location.origin, PATH, request)} />
                ),
              },
              {
                key: "python",
                label: "Python",
                children: (
                  <CodeBlock label={t("estimate.as_code")} text={asPython(window.location.origin, PATH, request)} />
                ),
              },
            ]}
          />
        </section>
      </div>
    </aside>
  );
}

function Verdict({ estimate, fields }: { estimate: UseQueryResult<Estimate>; fields: FormFields }) {
  const { t } = useTranslation("training");
  const words = useReason();
  const problem = estimate.error ? problemOf(estimate.error) : undefined;
  const problemWords = useProblemWords(problem);
  const { data } = estimate;
  if (problem) {
    return (
      <section className="verdict verdict-never">
        <p className="verdict-title">
          <CircleX size={18} aria-hidden />
          {problemWords.title}
        </p>
        <p>{problem.errors.length > 0 ? t("estimate.see_fields") : problemWords.detail}</p>
      </section>
    );
  }
  if (!data) return <section className="verdict verdict-pending" aria-busy="true" />;
  // A mistake in a field that nobody has filled in yet is no news.
  const told = data.problems.filter(
    (each) => (fields as unknown as Record<string, unknown>)[each.field.split(".")[0] ?? ""] !== "",
  );
  const starts = data.allowed ? data.starts : told.length > 0 || data.problems.length === 0 ? "never" : "later";
  const Icon = starts === "now" ? CircleCheck : starts === "never" ? CircleX : Hourglass;
  return (
    <>
      <section className={`verdict verdict-${starts}`} aria-live="polite">
        <p className="verdict-title">
          <Icon size={18} aria-hidden />
          {t(`estimate.starts_${starts}`)}
        </p>
        {starts !== "later" && <p>{words(data.reason)}</p>}
        {data.ahead > 0 && starts === "waits" && <p>{t("estimate.ahead", { count: data.ahead })}</p>}
        <FieldMistakes errors={told} />
      </section>
      {data.uses && <Uses estimate={data} uses={data.uses} />}
    </>
  );
}

function FieldMistakes({ errors }: { errors: Estimate["problems"] }) {
  const words = useFieldWords();
  const known = useKnown("training");
  if (errors.length === 0) return null;
  const label = (field: string) => known(`field_${field.split(".").at(-1)}`) ?? field;
  return (
    <ul className="verdict-mistakes">
      {errors.map((error) => (
        <li key={error.field + error.code}>
          <strong>{label(error.field)}</strong> {words(error)}
        </li>
      ))}
    </ul>
  );
}

function Uses({ estimate, uses }: { estimate: Estimate; uses: NonNullable<Estimate["uses"]> }) {
  const { t } = useTranslation("training");
  const lines: [string, string][] = [
    [
      t("estimate.devices"),
      uses.devices > 0 ? `${uses.devices} × ${deviceName(uses.device_type)}` : t("estimate.no_devices"),
    ],
    ...(uses.devices > 0
      ? [
          [t("estimate.free"), t("estimate.free_of", { free: estimate.free, total: estimate.total })] as [
            string,
            string,
          ],
        ]
      : []),
    [t("estimate.nodes"), String(uses.nodes)],
    [t("estimate.limit"), t("estimate.cpu_memory", uses.limits_per_node)],
    [t("estimate.request"), t("estimate.cpu_memory", uses.requests_per_node)],
  ];
  return (
    <section>
      <h2>{t("estimate.uses")}</h2>
      <dl className="uses">
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="tabular">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="quiet estimate-units">{t("estimate.units")}</p>
    </section>
  );
}
