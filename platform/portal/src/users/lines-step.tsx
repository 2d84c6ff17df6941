import { Checkbox, Form } from "antd";
import { CircleAlert, CircleCheck, CirclePlus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Table, type Column as TableColumn } from "@/elements/table";
import { Tag } from "@/elements/tag";
import { useFieldWords } from "@/words/told";
import { COLUMNS, type Column, type Imported, type ImportLine } from "./import-file";
import "./import-users.css";

/** What the file says, line by line, with each mistake at its cell; it leads on when there is none. */
export function LinesStep({ looked }: { looked: Imported }) {
  const { t } = useTranslation("users");
  const wrong = looked.lines.filter(({ state }) => state === "wrong");
  const [all, setAll] = useState(false);
  const onlyWrong = wrong.length > 0 && !all;

  async function check() {
    if (looked.mistakes > 0) throw new Error(t("lines_wrong", { count: looked.mistakes }));
    if (looked.new === 0) throw new Error(t("lines_nobody"));
  }

  return (
    <>
      <p role="status" className="import-counted">
        {t("lines_counted", { new: looked.new, existing: looked.existing, mistakes: looked.mistakes })}{" "}
        {looked.encoding !== "utf-8" && t("read_as", { encoding: looked.encoding.toUpperCase() })}
      </p>
      {wrong.length > 0 && (
        <Checkbox className="import-all" checked={all} onChange={(event) => setAll(event.target.checked)}>
          {t("lines_all")}
        </Checkbox>
      )}
      <Lines lines={onlyWrong ? wrong : looked.lines} />
      <Form.Item name="lines" rules={[{ validator: check }]} className="last-item">
        <input type="hidden" />
      </Form.Item>
    </>
  );
}

function Lines({ lines }: { lines: ImportLine[] }) {
  const { t } = useTranslation("users");
  const widths: Record<Column, number> = {
    name: 150,
    nickname: 150,
    phone: 140,
    email: 190,
    roles: 160,
    groups: 150,
    virtual_clusters: 150,
  };
  const columns: TableColumn<ImportLine>[] = [
    {
      key: "line",
      title: t("line"),
      width: 70,
      align: "right",
      render: ({ line }) => <span className="tabular">{line}</span>,
    },
    ...COLUMNS.map((column) => ({
      key: column,
      title: t(column),
      width: widths[column],
      render: (line: ImportLine) => (
        <Cell line={line} column={column}>
          {[line[column]].flat().join("; ") || "–"}
        </Cell>
      ),
    })),
    {
      key: "state",
      title: t("state"),
      width: 130,
      render: (line) => (
        <Cell line={line} column="">
          <State state={line.state} />
        </Cell>
      ),
    },
  ];
  return <Table keyOf={({ line }) => String(line)} rows={lines} columns={columns} size="small" />;
}

/** What stands in a cell, and below it what is wrong there. */
function Cell({ line, column, children }: { line: ImportLine; column: Column | ""; children: ReactNode }) {
  const fieldWords = useFieldWords();
  const mistakes = line.errors.filter(({ field }) => field === column);
  return (
    <div className="import-cell">
      <div>{children}</div>
      {mistakes.map((mistake) => (
        <div key={`${mistake.code}-${mistake.message}`} className="import-mistake">
          <CircleAlert size={13} aria-hidden />
          {fieldWords(mistake)}
        </div>
      ))}
    </div>
  );
}

const LOOKS = {
  new: { tone: "success", icon: CirclePlus },
  existing: { tone: "plain", icon: CircleCheck },
  wrong: { tone: "danger", icon: CircleAlert },
} as const;

function State({ state }: { state: ImportLine["state"] }) {
  const { t } = useTranslation("users");
  return <Tag {...LOOKS[state]}>{t(`line_${state}`)}</Tag>;
}
