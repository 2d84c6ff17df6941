import { useQuery } from "@tanstack/react-query";
import { Button, Drawer } from "antd";
import { RotateCw, ScrollText } from "lucide-react";
import { useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { CopyButton } from "@/elements/code";
import { Answer, Empty } from "@/elements/states";

const LINES = 500;

/** The end of a service's log. */
export default function ServiceLog({ name, onClose }: { name: string; onClose: () => void }) {
  const { t } = useTranslation(["services", "common"]);
  const query = useQuery({
    queryKey: ["services", name, "log"],
    queryFn: () =>
      body(api.GET("/api/v1/services/{name}/logs", { params: { path: { name }, query: { lines: LINES } } })),
    refetchInterval: 5_000,
  });
  return (
    <Drawer
      open
      size="min(980px, 100vw)"
      title={t("log_of", { service: name })}
      onClose={onClose}
      extra={
        <span className="row">
          {query.data && <CopyButton text={query.data.lines.join("\n")} />}
          <Button
            size="small"
            icon={<RotateCw size={14} aria-hidden />}
            loading={query.isFetching}
            onClick={() => query.refetch()}
          >
            {t("common:actions.refresh")}
          </Button>
        </span>
      }
    >
      <Answer query={query}>
        {({ lines }) =>
          lines.length === 0 ? (
            <Empty icon={ScrollText} title={t("log_empty")}>
              {t("log_empty_why")}
            </Empty>
          ) : (
            <Lines lines={lines} label={t("log_of", { service: name })} />
          )
        }
      </Answer>
    </Drawer>
  );
}

function Lines({ lines, label }: { lines: string[]; label: string }) {
  const element = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines move the view to the end, if it was there
  useLayoutEffect(() => {
    if (atEnd.current && element.current) element.current.scrollTop = element.current.scrollHeight;
  }, [lines]);
  return (
    <pre
      ref={element}
      className="service-lines"
      role="log"
      aria-label={label}
      aria-live="off"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: pre }) => {
        atEnd.current = pre.scrollHeight - pre.scrollTop - pre.clientHeight < 24;
      }}
    >
      {lines.join("\n")}
    </pre>
  );
}
