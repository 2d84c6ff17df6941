import { useQueryClient } from "@tanstack/react-query";
import { Form, type FormInstance, Modal } from "antd";
import { type ReactNode, useId, useRef, useState } from "react";
import { type ApiProblem, problemOf } from "@/api/problem";
import { useFeedback } from "@/elements/feedback";
import { fieldPath } from "@/elements/field-path";
import { focusFirstSoon, useFocusBack } from "@/elements/focus";
import { ProblemNote } from "@/elements/problem-note";
import { useFieldWords } from "@/words/told";
import { PEOPLE } from "./queries";
import "./people.css";

interface FormDialogProps<F extends object> {
  form: FormInstance<F>;
  title: string;
  okText: string;
  danger?: boolean;
  start: F;
  /** Asks the server; raises ApiProblem. */
  save: (fields: F) => Promise<unknown>;
  /** Told when it is done. */
  done: string;
  onClose: (saved: boolean) => void;
  /** A refusal that is told in another way than by its words. */
  refused?: (problem: ApiProblem) => boolean;
  /** Above the fields. */
  note?: ReactNode;
  children?: ReactNode;
}

/** Fields that are sent together; what the server refuses is told at its field, or above them all. */
export function FormDialog<F extends object>({
  form,
  title,
  okText,
  danger,
  start,
  save,
  done,
  onClose,
  refused,
  note,
  children,
}: FormDialogProps<F>) {
  useFocusBack();
  const { message } = useFeedback();
  const queries = useQueryClient();
  const fieldWords = useFieldWords();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const content = useRef<HTMLDivElement>(null);
  const id = useId();

  function tell(error: unknown) {
    const told = problemOf(error);
    const placed = told.errors.filter(({ field }) => (field.split(".")[0] ?? "") in start);
    form.setFields(
      placed.map((each) => ({ name: fieldPath(each.field).slice(0, 1) as never, errors: [fieldWords(each)] })) as never,
    );
    if (placed.length === 0 && !refused?.(told)) setProblem(told);
  }

  async function submit() {
    setBusy(true);
    setProblem(undefined);
    try {
      await save(form.getFieldsValue(true) as F);
      queries.invalidateQueries({ queryKey: PEOPLE });
      message.success(done);
      onClose(true);
    } catch (error) {
      tell(error);
      setBusy(false);
    }
  }

  return (
    <Modal
      open
      width={520}
      title={title}
      okText={okText}
      okButtonProps={{ danger, htmlType: "submit", form: id }}
      confirmLoading={busy}
      onCancel={() => onClose(false)}
      afterOpenChange={(open) => open && focusFirstSoon(content.current)}
    >
      <div ref={content}>
        {problem && <ProblemNote error={problem} />}
        {note}
        <Form<F> id={id} form={form} layout="vertical" initialValues={start} onFinish={submit} disabled={busy}>
          {children}
        </Form>
      </div>
    </Modal>
  );
}
