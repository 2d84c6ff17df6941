import { Button, Form, type FormInstance } from "antd";
import { Check } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { FieldError } from "@/api/problem";
import { problemOf } from "@/api/problem";
import { useFieldWords } from "@/words/told";
import { useFailures } from "./failures";
import { fieldPath } from "./field-path";
import { focusFirst } from "./focus";
import { Leaving } from "./leaving";
import { Panel } from "./page";
import { landing, type Step, stepOf } from "./wizard-steps";
import "./wizard.css";

export interface WizardStep extends Step {
  title: string;
  /** One line that says what is wanted here. */
  hint?: ReactNode;
  content: ReactNode;
}

interface WizardProps<F extends object, M> {
  form: FormInstance<F>;
  start: F;
  steps: readonly WizardStep[];
  /** Called before a step is shown for which the fields need something. */
  prepare?: (key: string) => void;
  /** Asks the server; raises ApiProblem. */
  send: (fields: F) => Promise<M>;
  /** Leads on when it is done. */
  done: (made: M) => unknown;
  cancel: () => void;
  submitText: string;
  /** Says which action a failure is told of, and that it failed. */
  action: string;
  failed: string;
}

/** Where the person is; `focus` is the field that wants them, else the first one. */
interface Place {
  at: number;
  focus?: (string | number)[];
}

/**
 * A form in steps. All of them stay there while one is shown, so that going back finds everything as it was typed, and
 * what the server refuses is told at its field, in its step.
 */
export function Wizard<F extends object, M>({ form, start, steps, send, done, cancel, ...words }: WizardProps<F, M>) {
  const { t } = useTranslation();
  const { prepare, submitText, action, failed } = words;
  const failures = useFailures();
  const fieldWords = useFieldWords();
  const [place, setPlace] = useState<Place>({ at: 0 });
  const [busy, setBusy] = useState(false);
  // What the server is asked before it goes on.
  const [checking, setChecking] = useState(false);
  const unsaved = useRef(false);
  const shown = useRef<HTMLElement>(null);
  const forward = useRef<HTMLButtonElement>(null);
  const id = useId();
  const { at } = place;
  const last = at === steps.length - 1;

  function go(to: Place) {
    const step = steps[to.at];
    if (step && to.at > at) prepare?.(step.key);
    setPlace(to);
  }

  useEffect(() => {
    // Behind whatever else a new page gives the focus to.
    const soon = requestAnimationFrame(() => {
      if (place.focus) form.focusField(place.focus as never);
      if (!place.focus || !shown.current?.contains(document.activeElement)) focusFirst(shown.current, forward.current);
    });
    return () => cancelAnimationFrame(soon);
  }, [place, form]);

  // What this form could not do is of no use on another page.
  const settle = useEffectEvent(() => failures.settle(action));
  useEffect(() => () => settle(), []);

  function tell(errors: FieldError[]) {
    form.setFields(
      errors.map((each) => ({ name: fieldPath(each.field) as never, errors: [fieldWords(each)] })) as never,
    );
  }

  async function submit() {
    setBusy(true);
    failures.settle(action);
    try {
      const made = await send(form.getFieldsValue(true) as F);
      unsaved.current = false;
      await done(made);
    } catch (error) {
      const placed = landing(steps, problemOf(error).errors);
      if (placed) {
        tell(placed.errors);
        go({ at: placed.step, focus: fieldPath(placed.field) });
      } else failures.tell({ key: action, title: failed, error, retry: submit });
    } finally {
      setBusy(false);
    }
  }

  async function next() {
    const here = form
      .getFieldsError()
      .map(({ name }) => name)
      .filter((name) => stepOf(steps, name.join(".")) === at);
    setChecking(true);
    try {
      await form.validateFields(here as never);
    } catch (error) {
      const [first] = (error as { errorFields?: { name: (string | number)[] }[] }).errorFields ?? [];
      if (!first) throw error;
      return go({ at, focus: first.name });
    } finally {
      setChecking(false);
    }
    if (last) await submit();
    else go({ at: at + 1 });
  }

  return (
    <Form<F>
      form={form}
      layout="vertical"
      className="wizard"
      initialValues={start}
      onValuesChange={() => {
        unsaved.current = true;
      }}
      // The form's own way asks every field at once, also those of steps that are still to come.
      onSubmitCapture={(event) => {
        event.preventDefault();
        event.stopPropagation();
        if (!busy && !checking) next();
      }}
    >
      <ol className="wizard-steps" aria-label={t("wizard.steps")}>
        {steps.map((step, index) => (
          <li key={step.key} aria-current={index === at ? "step" : undefined}>
            <span className="wizard-number tabular" aria-hidden>
              {index < at ? <Check size={13} /> : index + 1}
            </span>
            {index < at ? (
              <button type="button" onClick={() => go({ at: index })} disabled={busy}>
                {step.title}
              </button>
            ) : (
              <span>{step.title}</span>
            )}
          </li>
        ))}
      </ol>
      {steps.map((step, index) => (
        <section
          key={step.key}
          aria-labelledby={`${id}-${step.key}`}
          hidden={index !== at}
          ref={index === at ? shown : undefined}
        >
          <Panel
            title={
              <span id={`${id}-${step.key}`}>
                <span className="visually-hidden">{t("wizard.step", { number: index + 1, total: steps.length })} </span>
                {step.title}
              </span>
            }
          >
            {step.hint && <p className="wizard-hint">{step.hint}</p>}
            {step.content}
          </Panel>
        </section>
      ))}
      <div className="wizard-ways">
        {at > 0 && (
          <Button size="large" disabled={busy} onClick={() => go({ at: at - 1 })}>
            {t("wizard.back")}
          </Button>
        )}
        <Button
          ref={forward}
          type="primary"
          size="large"
          htmlType="submit"
          loading={busy || (checking && { delay: 200 })}
        >
          {last ? submitText : t("wizard.next")}
        </Button>
        <Button size="large" type="text" disabled={busy} onClick={cancel}>
          {t("actions.cancel")}
        </Button>
      </div>
      <Leaving
        unsaved={() => unsaved.current}
        words={{
          title: t("leaving.title"),
          content: t("leaving.content"),
          leave: t("leaving.leave"),
          stay: t("leaving.stay"),
        }}
      />
    </Form>
  );
}
