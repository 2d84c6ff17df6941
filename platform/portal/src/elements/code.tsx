import { Button, Tooltip } from "antd";
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFeedback } from "./feedback";
import "./code.css";

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation();
  const { message } = useFeedback();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const words = copied ? t("actions.copied") : (label ?? t("actions.copy"));
  return (
    <Tooltip title={words}>
      <Button
        size="small"
        type="text"
        aria-label={words}
        icon={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        onClick={async () => {
          try {
            await navigator.clipboard.writeText(text);
            setCopied(true);
          } catch {
            message.warning(t("actions.copy_failed"));
          }
        }}
      />
    </Tooltip>
  );
}

/** Text to be copied as it stands. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <CopyButton text={text} />
    </div>
  );
}
