import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Tooltip } from "antd";
import { LoaderCircle, Search } from "lucide-react";
import { useTranslation } from "react-i18next";
import { AppearanceMenu, LanguageMenu } from "@/appearance/preference-menus";
import { useKinds } from "@/features/registry";
import { useInstalled } from "@/identity/about";
import { useMay } from "@/identity/session";
import { UserMenu } from "@/identity/user-menu";
import { overviewQuery } from "@/overview/query";
import { servicesQuery } from "@/services/query";
import { ClusterPicker } from "@/virtual-clusters/cluster-picker";
import "./top-bar.css";

export function TopBar({ onSearch }: { onSearch: () => void }) {
  const { t } = useTranslation();
  const may = useMay();
  const installed = useInstalled();
  return (
    <>
      {may("virtual_clusters:read") && <ClusterPicker />}
      <div className="top-space" />
      {may("services:read") && installed && <Health />}
      {may("overview:read") && <Running />}
      <button type="button" className="search-button" onClick={onSearch} aria-label={t("shell.search")}>
        <Search size={14} aria-hidden />
        <span>{t("shell.search")}</span>
        <kbd aria-hidden>/</kbd>
      </button>
      <LanguageMenu />
      <AppearanceMenu />
      <UserMenu />
    </>
  );
}

/** Whether every service is well, at a glance. */
function Health() {
  const { t } = useTranslation();
  const { data, isError } = useQuery(servicesQuery);
  const ill = data?.items.filter((service) => service.state !== "running" && service.state !== "stopped") ?? [];
  const health = isError ? "unknown" : data === undefined ? "loading" : ill.length === 0 ? "well" : "ill";
  const words =
    health === "ill"
      ? t("shell.health_ill", { services: ill.map((service) => service.name).join(", ") })
      : t(`shell.health_${health}`);
  return (
    <Tooltip title={words}>
      <Link to="/services" className="icon-button" aria-label={words}>
        <span className={`health health-${health}`} />
      </Link>
    </Tooltip>
  );
}

function Running() {
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
