import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Table, type Column as TableColumn } from "@/elements/table";
import { Duration, Moment } from "@/elements/time";
import { pathOf, useKinds } from "@/features/registry";
import { number } from "@/formats/amounts";
import { devicesText } from "@/formats/devices";
import type { TaskSummary } from "../queries";
import { StateWithReason } from "../state-tag";
import { TaskActions } from "../task-actions";
import type { Column } from "./columns";
import { type ListSearch, SORTS } from "./search";

interface RowsTableProps {
  rows: TaskSummary[];
  search: ListSearch;
  change: (part: Partial<ListSearch>) => void;
  hidden: Column[];
  onRest: (resting: boolean) => void;
}

export function RowsTable({ rows, search, change, hidden, onRest }: RowsTableProps) {
  const { t } = useTranslation(["tasks", "common"]);
  const kinds = useKinds();

  const columns: TableColumn<TaskSummary>[] = [
    {
      key: "name",
      title: t("column_name"),
      width: 170,
      compare: "by page",
      render: (task) => (
        <Link to={pathOf(kinds, task)} className="task-name">
          {task.name}
        </Link>
      ),
    },
    {
      key: "state",
      title: t("column_state"),
      width: 220,
      compare: "by page",
      render: (task) => <StateWithReason state={task.state} reason={task.reason} />,
    },
    {
      key: "progress",
      title: t("column_progress"),
      width: 130,
      render: (task) => <Progress scalars={task.progress} />,
    },
    {
      key: "framework",
      title: t("column_framework"),
      width: 130,
      render: (task) => (
        // An image of one's own is longer than the name of a framework, and the project is the same for all of them.
        <span className="framework-name" title={task.framework}>
          {task.framework.replace(/^imported\//, "")}
        </span>
      ),
    },
    {
      key: "devices",
      title: t("column_devices"),
      width: 100,
      render: (task) => (
        <span className="tabular nowrap">{devicesText(task.devices, task.nodes, task.device_type)}</span>
      ),
    },
    {
      key: "virtual_cluster",
      title: t("column_virtual_cluster"),
      width: 120,
      render: (task) => task.virtual_cluster.name,
    },
    {
      key: "owner",
      title: t("column_owner"),
      width: 90,
      render: (task) => <span title={task.owner.nickname}>{task.owner.name}</span>,
    },
    {
      key: "created_at",
      title: t("column_created_at"),
      width: 115,
      compare: "by page",
      render: (task) => <Moment at={task.created_at} />,
    },
    {
      key: "duration",
      title: t("column_duration"),
      width: 105,
      compare: "by page",
      render: (task) =>
        task.started_at ? (
          <Duration since={task.started_at} until={task.finished_at} />
        ) : (
          <span className="quiet">–</span>
        ),
    },
    {
      key: "actions",
      title: <span className="visually-hidden">{t("common:actions.title")}</span>,
      width: 88,
      align: "right",
      fixed: true,
      render: (task) => <TaskActions task={task} compact />,
    },
  ];

  // Whose task it is says something only among everybody's.
  const shown = columns.filter(
    (column) => !hidden.includes(column.key as Column) && (column.key !== "owner" || search.owner === "all"),
  );

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only holds the rows still
    <div className="framed" onMouseEnter={() => onRest(true)} onMouseLeave={() => onRest(false)}>
      <Table
        rows={rows}
        columns={shown}
        keyOf={(task) => task.id}
        sort={search.sort && search.order ? { key: search.sort, order: search.order } : null}
        onSort={(sort) => change({ sort: SORTS.find((each) => each === sort?.key), order: sort?.order })}
      />
    </div>
  );
}

/** The last scalars that the program reported; accuracy and loss first, two at most. */
function Progress({ scalars }: { scalars: Record<string, number> | null }) {
  if (!scalars) return <span className="quiet">–</span>;
  const order = ["epoch", "accuracy", "loss"];
  const shown = Object.entries(scalars)
    .filter(([name]) => name !== "step")
    .sort(([one], [other]) => (order.indexOf(one) + 1 || 9) - (order.indexOf(other) + 1 || 9))
    .slice(0, 2);
  return (
    <span className="progress tabular">
      {shown.map(([name, value]) => (
        <span key={name}>
          <span className="quiet">{name}</span> {number(value)}
        </span>
      ))}
    </span>
  );
}
