import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Form } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "@/api/problem";
import { Wizard } from "@/elements/wizard";
import { PEOPLE } from "@/people/queries";
import { problemWords, useFieldWords } from "@/words/told";
import { FileStep } from "./file-step";
import { type Imported, importFile } from "./import-file";
import { LinesStep } from "./lines-step";

/** What the form holds. */
export interface ImportFields {
  file?: File;
  skip_existing: boolean;
}

const START: ImportFields = { skip_existing: false };

const STEPS = [
  { key: "file", fields: ["file", "skip_existing"] },
  { key: "lines", fields: ["lines"] },
  { key: "import", fields: [] },
] as const;

/** A file of users in three steps: which file, what it says, and that it is to be done. */
export function ImportUsers({ done }: { done: (made: Imported) => void }) {
  const { t, i18n } = useTranslation("users");
  const fieldWords = useFieldWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [form] = Form.useForm<ImportFields>();
  const [looked, setLooked] = useState<Imported>();

  /** Nothing, or why this file leads no further. */
  async function look(file: File): Promise<string | undefined> {
    setLooked(undefined);
    try {
      const answer = await importFile(file, { dry_run: true, skip_existing: form.getFieldValue("skip_existing") });
      setLooked(answer);
      if (answer.errors.length === 0) return;
      return answer.errors
        .map((each) =>
          each.field ? `${t("line_numbered", { line: each.field })} ${fieldWords(each)}` : fieldWords(each),
        )
        .join(" ");
    } catch (error) {
      if (!(error instanceof ApiProblem)) return t("file_unreadable");
      const { title, detail, remedy } = problemWords(i18n, error);
      return [title, detail, remedy].filter(Boolean).join(" ");
    }
  }

  const contents = {
    file: <FileStep look={look} />,
    lines: looked && <LinesStep looked={looked} />,
    import: looked && (
      <>
        <p>{t("import_makes", { count: looked.new })}</p>
        {looked.existing > 0 && <p>{t("import_leaves", { count: looked.existing })}</p>}
        <p>{t("import_passwords")}</p>
      </>
    ),
  };
  return (
    <Wizard<ImportFields, Imported>
      form={form}
      start={START}
      steps={STEPS.map((step) => ({
        ...step,
        title: t(`import_step_${step.key}`),
        hint: step.key === "file" ? t("import_hint") : undefined,
        content: contents[step.key],
      }))}
      send={({ file, skip_existing }) => importFile(file as File, { dry_run: false, skip_existing })}
      done={(made) => {
        queries.invalidateQueries({ queryKey: PEOPLE });
        done(made);
      }}
      cancel={() => navigate({ to: "/users", search: {} })}
      submitText={t("import_submit", { count: looked?.new ?? 0 })}
      action="users/import"
      failed={t("import_failed")}
    />
  );
}
