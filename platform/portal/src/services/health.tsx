import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import { servicesQuery } from "./query";
import "./health.css";

/** Whether every service is well, at a glance. */
export function Health() {
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
