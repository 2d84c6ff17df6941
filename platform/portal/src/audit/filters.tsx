import { Segmented, Select } from "antd";
import { lazy, Suspense, useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useTimeZone } from "@/elements/time";
import { asLocal, fromLocal } from "@/formats/moments";
import { WordsFilter } from "@/people/list";
import { type AuditSearch, OUTCOMES, SPANS, type Span } from "./search";
import { useActions, useKindWords } from "./words";

const ActorFilter = lazy(() => import("./actor-filter"));

interface FilterProps {
  search: AuditSearch;
  change: (part: AuditSearch) => void;
}

/** Which records the list has; it stands in the address. */
export function Filters({ search, change }: FilterProps) {
  const { t } = useTranslation("audit");
  return (
    <search className="people-filters">
      <TimeFilter search={search} change={change} />
      <Suspense fallback={<span className="people-choice" aria-busy="true" />}>
        <ActorFilter value={search.actor} onChange={(actor) => change({ actor })} />
      </Suspense>
      <ActionFilter value={search.action} onChange={(action) => change({ action })} />
      <Segmented
        aria-label={t("outcome")}
        value={search.outcome ?? "all"}
        onChange={(chosen) => change({ outcome: OUTCOMES.find((each) => each === chosen) })}
        options={(["all", ...OUTCOMES] as const).map((each) => ({ value: each, label: t(`outcome_${each}`) }))}
      />
      <WordsFilter label={t("object_filter")} value={search.object} onChange={(object) => change({ object })} />
      <WordsFilter label={t("address_filter")} value={search.address} onChange={(address) => change({ address })} />
    </search>
  );
}

const ALWAYS = "always";
const BETWEEN = "between";

/** Since when: a span that ends now, or two moments. */
function TimeFilter({ search, change }: FilterProps) {
  const { t } = useTranslation("audit");
  const typed = search.since !== undefined || search.until !== undefined;
  const [between, setBetween] = useState(typed);
  useEffect(() => {
    if (typed) setBetween(true);
  }, [typed]);
  const chosen = search.last ?? (between ? BETWEEN : ALWAYS);

  function choose(wanted: Span | typeof ALWAYS | typeof BETWEEN) {
    const last = (Object.keys(SPANS) as Span[]).find((each) => each === wanted);
    setBetween(wanted === BETWEEN);
    change({ last, since: undefined, until: undefined });
  }

  return (
    <>
      <Select
        className="audit-time"
        aria-label={t("time")}
        value={chosen}
        onChange={choose}
        options={[
          { value: ALWAYS, label: t("time_always") },
          ...(Object.keys(SPANS) as Span[]).map((each) => ({ value: each, label: t(`time_${each}`) })),
          { value: BETWEEN, label: t("time_between") },
        ]}
      />
      {chosen === BETWEEN && (
        <>
          <MomentField label={t("since")} value={search.since} onChange={(since) => change({ since })} />
          <MomentField label={t("until")} value={search.until} onChange={(until) => change({ until })} />
        </>
      )}
    </>
  );
}

/** The browser's own field: it speaks the reader's language, and is used by keyboard alone. Its zone is that of all times. */
function MomentField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (at: string | undefined) => void;
}) {
  const id = useId();
  useTimeZone();
  return (
    <span className="audit-moment">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        value={asLocal(value)}
        onChange={(event) => onChange(fromLocal(event.target.value))}
      />
    </span>
  );
}

/** One action, or all of a kind. */
function ActionFilter({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (action: string | undefined) => void;
}) {
  const { t } = useTranslation("audit");
  const kindWords = useKindWords();
  const groups = useActions();
  const options = groups.map(({ kind, actions }) => ({
    label: kindWords(kind),
    options: [{ value: kind, label: t("all_of", { kind: kindWords(kind) }) }, ...actions],
  }));
  // One of another version has no words here, and is filtered by nevertheless.
  const known = value === undefined || options.some((group) => group.options.some((each) => each.value === value));
  return (
    <Select
      className="audit-action"
      allowClear
      placeholder={t("action_filter")}
      aria-label={t("action_filter")}
      value={value}
      onChange={(chosen?: string) => onChange(chosen)}
      options={known ? options : [...options, { label: value, options: [{ value, label: value }] }]}
      showSearch={{ optionFilterProp: "label" }}
    />
  );
}
