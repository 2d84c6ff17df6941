import { Button, Checkbox, Popover } from "antd";
import { Columns3 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { type Column, HIDEABLE } from "./columns";

/** Which columns the list has. */
export default function ColumnChoice({
  hidden,
  setHidden,
}: {
  hidden: Column[];
  setHidden: (hidden: Column[]) => void;
}) {
  const { t } = useTranslation("tasks");
  return (
    <Popover
      trigger="click"
      placement="bottomRight"
      content={
        <Checkbox.Group
          className="column-choice"
          value={HIDEABLE.filter((column) => !hidden.includes(column))}
          options={HIDEABLE.map((column) => ({ value: column, label: t(`column_${column}`) }))}
          onChange={(shown) => setHidden(HIDEABLE.filter((column) => !shown.includes(column)))}
        />
      }
    >
      <Button icon={<Columns3 size={15} aria-hidden />} aria-label={t("columns")} aria-haspopup="dialog" />
    </Popover>
  );
}
