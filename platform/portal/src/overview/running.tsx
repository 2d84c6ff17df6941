import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Tooltip } from "antd";
import { LoaderCircle } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useKinds } from "@/features/registry";
import { overviewQuery } from "./query";
import "./running.css";

/** How many of the person's tasks run, and the way to them. */
export function Running() {
  const { t } = useTranslation();
  const kinds = useKinds();
  const { data } = useQuery(overviewQuery);
  const counts = data?.tasks.filter((each) => each.states.running) ?? [];
  const running = counts.reduce((sum, each) => sum + (each.states.running ?? 0), 0);
  // Where most of them are.
  const most = counts.toSorted((one, other) => (other.states.running ?? 0) - (one.states.running ?? 0))[0];
  const kind = kinds.find((each) => each.kind === most?.kind) ?? kinds[0];
  if (!kind) return null;
  const words = t("shell.running", { count: running });
  return (
    <Tooltip title={words}>
      <Link
        to={kind.path}
        search={{ state: ["running"] } as never}
        className="icon-button running-mine"
        aria-label={words}
      >
        <LoaderCircle size={16} aria-hidden className={running > 0 ? "turning" : undefined} />
        <span className="tabular">{running}</span>
      </Link>
    </Tooltip>
  );
}
