import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import "./tag.css";

/** A state: icon and words, never colour alone. */
export function Tag({
  tone,
  icon: Icon,
  turns = false,
  children,
}: {
  tone: "plain" | "info" | "success" | "warning" | "danger" | "primary";
  icon: LucideIcon;
  turns?: boolean;
  children: ReactNode;
}) {
  return (
    <span className={`tag tag-${tone}`}>
      <Icon size={13} aria-hidden className={turns ? "turning" : undefined} />
      {children}
    </span>
  );
}
