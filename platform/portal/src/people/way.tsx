import { Link } from "@tanstack/react-router";
import { Tooltip } from "antd";
import { UsersRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import "./way.css";

/** The way from anywhere to user management. */
export function Way() {
  const { t } = useTranslation();
  const words = t("menu.user_management");
  return (
    <Tooltip title={words}>
      <Link to="/user-management" className="icon-button way-to-people" aria-label={words}>
        <UsersRound size={16} aria-hidden />
        <span aria-hidden>{words}</span>
      </Link>
    </Tooltip>
  );
}
