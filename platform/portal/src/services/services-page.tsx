import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button, Tooltip } from "antd";
import {
  Activity,
  CircleCheck,
  CircleDashed,
  CircleQuestionMark,
  CircleX,
  LoaderCircle,
  RotateCw,
  ScrollText,
  TriangleAlert,
} from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body, type Schemas } from "@/api/client";
import { problemOf } from "@/api/problem";
import { useFailures } from "@/elements/failures";
import { useFeedback } from "@/elements/feedback";
import { Page } from "@/elements/page";
import { Answer, Empty } from "@/elements/states";
import { Table } from "@/elements/table";
import { Tag } from "@/elements/tag";
import { duration } from "@/formats/moments";
import { useMay } from "@/identity/session";
import { useKnown } from "@/words/told";
import { servicesQuery } from "./query";
import "./services.css";

const ServiceLog = lazy(() => import("./service-log"));

type Service = Schemas["Service"];

const STATES = {
  running: { tone: "success", icon: CircleCheck },
  degraded: { tone: "warning", icon: TriangleAlert },
  starting: { tone: "info", icon: LoaderCircle, turns: true },
  stopped: { tone: "plain", icon: CircleDashed },
  failed: { tone: "danger", icon: CircleX },
  unknown: { tone: "warning", icon: CircleQuestionMark },
} as const;

export function ServicesPage() {
  const { t } = useTranslation(["services", "common"]);
  const query = useQuery(servicesQuery);
  const [read, setRead] = useState<string>();
  return (
    <Page title={t("title")} purpose={t("purpose")}>
      <Answer query={query} rows={8}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Activity} title={t("empty")}>
              {t("empty_why")}
            </Empty>
          ) : (
            <ServiceTable services={items} onLog={setRead} />
          )
        }
      </Answer>
      {read && (
        <Suspense>
          <ServiceLog name={read} onClose={() => setRead(undefined)} />
        </Suspense>
      )}
    </Page>
  );
}

function ServiceTable({ services, onLog }: { services: Service[]; onLog: (name: string) => void }) {
  const { t } = useTranslation(["services", "common"]);
  const known = useKnown("services");
  const title = (service: Service) => known(`name_${service.name}`) ?? (service.title || service.name);
  return (
    <div className="framed">
      <Table
        keyOf={(service) => service.name}
        rows={services}
        columns={[
          {
            key: "name",
            title: t("name"),
            render: (service) => (
              <div className="service-name">
                <strong>{service.name}</strong>
                {title(service).toLowerCase() !== service.name && <span className="quiet">{title(service)}</span>}
              </div>
            ),
          },
          {
            key: "state",
            title: t("state"),
            render: (service) => (
              <div className="state-cell">
                <Tag {...STATES[service.state]}>{t(`state_${service.state}`)}</Tag>
                {service.message && service.state !== "running" && (
                  <span className="state-reason">{service.message}</span>
                )}
              </div>
            ),
          },
          {
            key: "replicas",
            title: t("replicas"),
            render: ({ replicas }) => <span className="tabular">{`${replicas.ready} / ${replicas.wanted}`}</span>,
          },
          {
            key: "nodes",
            title: t("nodes"),
            render: (service) => (
              <span className="service-nodes">
                {service.nodes && service.nodes.length > 0 ? service.nodes.join(", ") : "–"}
              </span>
            ),
          },
          {
            key: "version",
            title: t("version"),
            render: (service) => <span className="tabular">{service.version || "–"}</span>,
          },
          {
            key: "actions",
            title: <span className="visually-hidden">{t("common:actions.title")}</span>,
            align: "right",
            render: (service) => <Actions service={service} onLog={onLog} />,
          },
        ]}
      />
    </div>
  );
}

function Actions({ service, onLog }: { service: Service; onLog: (name: string) => void }) {
  const { t } = useTranslation(["services", "common"]);
  const { ask, notification } = useFeedback();
  const failures = useFailures();
  const may = useMay();
  const queries = useQueryClient();
  const restart = useMutation({
    mutationFn: () => body(api.POST("/api/v1/services/{name}/restart", { params: { path: { name: service.name } } })),
    onSuccess: (done) => {
      const words = { service: done.service, seconds: duration(done.seconds) };
      if (done.ok) notification.success({ title: t("restarted", words), description: done.message });
      else notification.error({ title: t("not_healthy", words), description: done.message, duration: 0 });
    },
    onError: (error) => {
      const problem = problemOf(error);
      // Restarting the gateway or the API breaks this very request: nobody knows yet how it went.
      if (problem.code === "unreachable" || [502, 503, 504].includes(problem.status)) {
        notification.warning({
          title: t("restart_unknown", { service: service.name }),
          description: t("restart_unknown_how"),
          duration: 0,
        });
        return;
      }
      failures.tell({
        key: `services/${service.name}/restart`,
        title: t("restart_failed", { service: service.name }),
        error,
        retry: () => restart.mutate(),
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["services"] }),
  });

  function restartAfterAsking() {
    ask({
      title: t("restart_question", { service: service.name }),
      content: t("restart_means"),
      okText: t("restart"),
      onOk: () => restart.mutate(),
    });
  }

  return (
    <span className="row service-actions">
      <Button
        size="small"
        icon={<ScrollText size={14} aria-hidden />}
        aria-label={t("log_named", { service: service.name })}
        onClick={() => onLog(service.name)}
      >
        {t("log")}
      </Button>
      {may("services:operate") && service.actions?.includes("restart") && (
        <Tooltip title={restart.isPending ? t("restarting") : undefined}>
          <Button
            size="small"
            loading={restart.isPending}
            icon={<RotateCw size={14} aria-hidden />}
            aria-label={t("restart_named", { service: service.name })}
            onClick={restartAfterAsking}
          >
            {t("restart")}
          </Button>
        </Tooltip>
      )}
    </span>
  );
}
