import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Tabs } from "antd";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Page } from "@/elements/page";
import { Answer, Loading, Stale } from "@/elements/states";
import { Duration, Moment } from "@/elements/time";
import type { KnownKind } from "@/features/feature";
import { useKnown, useReason } from "@/words/told";
import { useStaleSince } from "../live";
import { type Task, taskQuery } from "../queries";
import { StateTag } from "../state-tag";
import { ENDED } from "../states";
import { TaskActions } from "../task-actions";
import { taskSearchOf } from "./search";
import "./detail.css";

/** A task of any kind: its head with what may be done to it, and the tabs that its kind has. */
export function TaskDetailPage({ kind, title }: { kind: KnownKind; title: string }) {
  const { t } = useTranslation("tasks");
  const known = useKnown(kind.feature as "tasks");
  const { id = "" } = useParams({ strict: false });
  const search = taskSearchOf(useSearch({ strict: false }));
  const tab = kind.tabs.find((each) => each.id === search.tab) ?? kind.tabs[0];
  const navigate = useNavigate();
  const query = useQuery(taskQuery(id));
  const stale = useStaleSince();
  const task = query.data;
  return (
    <Page
      title={task?.name ?? title}
      crumbs={[{ to: kind.path, label: title }]}
      aside={task && <StateTag state={task.state} />}
      purpose={task && <StateLine task={task} />}
      actions={task && <TaskActions task={task} onDeleted={() => navigate({ to: kind.path })} />}
    >
      {stale !== null && <Stale since={stale} />}
      <Answer query={query} rows={10}>
        {(data) => (
          <Tabs
            activeKey={tab?.id}
            destroyOnHidden
            onChange={(key) => navigate({ to: ".", search: { tab: key } as never, replace: true })}
            items={kind.tabs.map(({ id: key, View }) => ({
              key,
              label: known(`tab_${key}`) ?? t(`tab_${key}` as "tab_log"),
              children: (
                <Suspense fallback={<Loading />}>
                  <View task={data} />
                </Suspense>
              ),
            }))}
          />
        )}
      </Answer>
    </Page>
  );
}

/** How long it is in this state, how long it ran, and why it is as it is. */
function StateLine({ task }: { task: Task }) {
  const { t } = useTranslation("tasks");
  const words = useReason();
  const ended = ENDED.includes(task.state);
  // A reason that only says the state again is no reason.
  const told = task.reason && task.reason.code !== task.state ? words(task.reason) : "";
  return (
    <span className="state-line">
      <span className="nowrap">
        {ended ? (
          <>
            {t("ended")} <Moment at={task.state_since} />
          </>
        ) : (
          <>
            {t("lasting")} <Duration since={task.state_since} />
          </>
        )}
      </span>
      {task.started_at && ended && (
        <span className="nowrap">
          {t("ran")} <Duration since={task.started_at} until={task.finished_at} />
        </span>
      )}
      {told && <span className={ended ? "state-why-ended" : undefined}>{told}</span>}
    </span>
  );
}
