import { Button, Tooltip } from "antd";
import type { LucideIcon } from "lucide-react";

/** Something that may be done: in a row a sign whose words come on hover, else a button with words. */
export function Action({
  icon: Icon,
  words,
  label,
  compact,
  danger,
  busy,
  onClick,
}: {
  icon: LucideIcon;
  words: string;
  /** What it does to what, for who does not see the row. */
  label: string;
  compact: boolean;
  danger?: boolean;
  busy?: boolean;
  onClick: () => void;
}) {
  if (!compact) {
    return (
      <Button danger={danger} loading={busy} icon={<Icon size={15} aria-hidden />} onClick={onClick}>
        {words}
      </Button>
    );
  }
  return (
    <Tooltip title={words}>
      <Button
        type="text"
        size="small"
        loading={busy}
        icon={<Icon size={15} aria-hidden />}
        aria-label={label}
        onClick={onClick}
      />
    </Tooltip>
  );
}
