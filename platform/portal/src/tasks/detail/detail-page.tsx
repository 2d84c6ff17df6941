import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Tabs } from "antd";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { TABS } from "@/app/router";
import { Page } from "@/elements/page";
import { Answer, Loading, Stale } from "@/elements/states";
import { Duration, Moment } from "@/elements/time";
import { useReason } from "@/elements/words";
import { useStaleSince } from "../live";
import { type Task, taskQuery } from "../queries";
import { StateTag } from "../state-tag";
import { ENDED } from "../states";
import { TaskActions } from "../task-actions";
import "./detail.css";

const OverviewTab = lazy(() => import("./overview-tab"));
const LogTab = lazy(() => import("@/tasks/log/log-tab"));
const ChartsTab = lazy(() => import("@/tasks/charts/charts-tab"));
const FilesTab = lazy(() => import("./files-tab"));
const EventsTab = lazy(() => import("./events-tab"));
const DefinitionTab = lazy(() => import("./definition-tab"));

export function TrainingDetailPage() {
  const { t } = useTranslation();
  const { id } = useParams({ from: "/shell/training/$id" });
  const { tab = "overview" } = useSearch({ from: "/shell/training/$id" });
  const navigate = useNavigate();
  const query = useQuery(taskQuery(id));
  const stale = useStaleSince();
  const task = query.data;
  return (
    <Page
      title={task?.name ?? t("training.one")}
      crumbs={[{ to: "/training", label: t("training.title") }]}
      aside={task && <StateTag state={task.state} />}
      purpose={task && <StateLine task={task} />}
      actions={task && <TaskActions task={task} onDeleted={() => navigate({ to: "/training" })} />}
    >
      {stale !== null && <Stale since={stale} />}
      <Answer query={query} rows={10}>
        {(data) => (
          <Tabs
            activeKey={tab}
            destroyOnHidden
            onChange={(key) =>
              navigate({
                to: "/training/$id",
                params: { id },
                search: { tab: TABS.find((each) => each === key) },
                replace: true,
              })
            }
            items={TABS.map((key) => ({
              key,
              label: t(`training.tab_${key}`),
              children: <TabContent tab={key} task={data} />,
            }))}
          />
        )}
      </Answer>
    </Page>
  );
}

function TabContent({ tab, task }: { tab: (typeof TABS)[number]; task: Task }) {
  const Content = {
    overview: OverviewTab,
    log: LogTab,
    charts: ChartsTab,
    files: FilesTab,
    events: EventsTab,
    definition: DefinitionTab,
  }[tab];
  return (
    <Suspense fallback={<Loading />}>
      <Content task={task} />
    </Suspense>
  );
}

/** How long it is in this state, how long it ran, and why it is as it is. */
function StateLine({ task }: { task: Task }) {
  const { t } = useTranslation();
  const words = useReason();
  const ended = ENDED.includes(task.state);
  // A reason that only says the state again is no reason.
  const told = task.reason && task.reason.code !== task.state ? words(task.reason) : "";
  return (
    <span className="state-line">
      <span className="nowrap">
        {ended ? (
          <>
            {t("training.ended")} <Moment at={task.state_since} />
          </>
        ) : (
          <>
            {t("training.lasting")} <Duration since={task.state_since} />
          </>
        )}
      </span>
      {task.started_at && ended && (
        <span className="nowrap">
          {t("training.ran")} <Duration since={task.started_at} until={task.finished_at} />
        </span>
      )}
      {told && <span className={ended ? "state-why-ended" : undefined}>{told}</span>}
    </span>
  );
}
