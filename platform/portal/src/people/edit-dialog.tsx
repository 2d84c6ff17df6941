import { useQuery } from "@tanstack/react-query";
import { Button, Form } from "antd";
import { RotateCw, TriangleAlert } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ApiProblem } from "@/api/problem";
import { ProblemNote } from "@/elements/problem-note";
import { useMay } from "@/identity/session";
import { FormDialog } from "./form-dialog";
import { lastChange } from "./queries";

interface Versioned {
  id: string;
  name: string;
  version: number;
}

interface EditDialogProps<T extends Versioned, F extends object> {
  title: string;
  okText: string;
  danger?: boolean;
  /** What was looked at when the dialog was opened. */
  shown: T;
  /** What the fields hold of it. */
  fieldsOf: (shown: T) => F;
  reread: () => Promise<T>;
  save: (fields: F, shown: T) => Promise<unknown>;
  done: string;
  onClose: (saved: boolean) => void;
  /** A refusal that is told in another way than by its words. */
  refused?: (problem: ApiProblem) => boolean;
  /** What the server has of what is changed here: for comparing it with what was typed. */
  stored?: (shown: T) => ReactNode;
  children?: (shown: T) => ReactNode;
}

/**
 * Changes what was looked at, and nothing else: when somebody was quicker, it says so and who it was, loads anew, and
 * keeps what was typed. Fields that were not touched then show what is stored.
 */
export function EditDialog<T extends Versioned, F extends object>(props: EditDialogProps<T, F>) {
  const { shown, fieldsOf, reread, save, refused, stored, children, ...dialog } = props;
  const [form] = Form.useForm<F>();
  const [base, setBase] = useState(shown);
  const [behind, setBehind] = useState<"behind" | "loaded">();
  const [failure, setFailure] = useState<unknown>();
  const [start] = useState(() => fieldsOf(shown));

  async function loadAnew() {
    setFailure(undefined);
    try {
      const now = await reread();
      const fresh = Object.entries(fieldsOf(now)).filter(([field]) => !form.isFieldTouched(field as never));
      form.setFieldsValue(Object.fromEntries(fresh) as never);
      setBase(now);
      setBehind("loaded");
    } catch (error) {
      setFailure(error);
    }
  }

  return (
    <FormDialog
      {...dialog}
      form={form}
      start={start}
      save={(fields) => save(fields, base)}
      refused={(problem) => {
        if (problem.status !== 412) return refused?.(problem) ?? false;
        setBehind("behind");
        return true;
      }}
      note={
        <>
          {failure !== undefined && <ProblemNote error={failure} />}
          {behind === "behind" && <Behind shown={base} loadAnew={loadAnew} />}
          {behind === "loaded" && <Loaded>{stored?.(base)}</Loaded>}
        </>
      }
    >
      {children?.(base)}
    </FormDialog>
  );
}

/** What is on the screen is older than what is stored. */
export function Behind({ shown, loadAnew }: { shown: Versioned; loadAnew: () => Promise<void> }) {
  const { t } = useTranslation("people");
  const may = useMay();
  const [busy, setBusy] = useState(false);
  const by = useQuery({
    queryKey: ["people", "behind", shown.id, shown.version],
    queryFn: async () => (await lastChange(shown.id)) ?? null,
    enabled: may("audit:read"),
    retry: false,
  });
  return (
    <div className="behind" role="alert">
      <TriangleAlert size={15} aria-hidden />
      <div>
        <strong>{t("behind", { name: shown.name })}</strong>
        <p>
          {by.data ? t("behind_by", { who: by.data }) : null} {t("behind_means")}
        </p>
        <Button
          size="small"
          loading={busy}
          icon={<RotateCw size={14} aria-hidden />}
          onClick={async () => {
            setBusy(true);
            await loadAnew();
            setBusy(false);
          }}
        >
          {t("behind_load")}
        </Button>
      </div>
    </div>
  );
}

export function Loaded({ children }: { children?: ReactNode }) {
  const { t } = useTranslation("people");
  return (
    <div className="behind" role="status">
      <TriangleAlert size={15} aria-hidden />
      <div>
        <p>{t("behind_loaded")}</p>
        {children && (
          <p>
            {t("behind_stored")} <strong>{children}</strong>
          </p>
        )}
      </div>
    </div>
  );
}
