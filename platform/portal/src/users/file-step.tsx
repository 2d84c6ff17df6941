import { Checkbox, Form } from "antd";
import { useTranslation } from "react-i18next";
import { COLUMNS, MOST_BYTES } from "./import-file";
import "./import-users.css";

const MOST_MIB = MOST_BYTES / (1024 * 1024);

/** Which file; going on looks at it, and nothing changes. */
export function FileStep({ look }: { look: (file: File) => Promise<string | undefined> }) {
  const { t, i18n } = useTranslation("users");
  const language = i18n.language.startsWith("zh") ? "zh" : "en";

  async function check(_: unknown, file: File | undefined) {
    if (!file) throw new Error(t("file_needed"));
    if (file.size > MOST_BYTES) throw new Error(t("file_too_large", { count: MOST_MIB }));
    const refused = await look(file);
    if (refused) throw new Error(refused);
  }

  return (
    <>
      <Form.Item
        name="file"
        label={t("file")}
        validateTrigger={[]}
        rules={[{ validator: check }]}
        extra={t("file_rule")}
      >
        <FileField />
      </Form.Item>
      <p>
        <a href={`/api/v1/users/import/template?language=${language}`} download="users.csv">
          {t("template")}
        </a>
      </p>
      <p className="quiet">{t("columns_are", { columns: COLUMNS.map((column) => t(column)).join(" · ") })}</p>
      <Form.Item name="skip_existing" valuePropName="checked" className="last-item">
        <Checkbox>{t("skip_existing")}</Checkbox>
      </Form.Item>
    </>
  );
}

/** The browser's own field: used by keyboard alone, and says which file it is. */
function FileField({
  id,
  onChange,
  "aria-describedby": describedBy,
}: {
  id?: string;
  onChange?: (file: File | undefined) => void;
  "aria-describedby"?: string;
}) {
  return (
    <input
      id={id}
      aria-describedby={describedBy}
      className="import-file"
      type="file"
      accept=".csv,.txt,text/csv,text/plain"
      onChange={(event) => onChange?.(event.target.files?.[0])}
    />
  );
}
