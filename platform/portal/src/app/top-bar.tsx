import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Tooltip } from "antd";
import { LoaderCircle, Search } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useInstalled } from "@/identity/about";
import { useMay } from "@/identity/session";
import { UserMenu } from "@/identity/user-menu";
import { overviewQuery } from "@/overview/query";
import { servicesQuery } from "@/services/query";
import { ClusterPicker } from "@/virtual-clusters/cluster-picker";
import { AppearanceMenu, LanguageMenu } from "./preference-menus";
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
  const { data } = useQuery(overviewQuery);
  const running = data?.tasks.reduce((sum, kind) => sum + (kind.states.running ?? 0), 0) ?? 0;
  const words = t("shell.running", { count: running });
  return (
    <Tooltip title={words}>
      <Link to="/training" search={{ state: ["running"] }} className="icon-button running-mine" aria-label={words}>
        <LoaderCircle size={16} aria-hidden className={running > 0 ? "turning" : undefined} />
        <span className="tabular">{running}</span>
      </Link>
    </Tooltip>
  );
}
