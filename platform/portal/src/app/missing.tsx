import { Link } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Empty } from "@/elements/states";

/** An address that leads nowhere. */
export function Missing() {
  const { t } = useTranslation();
  return (
    <Empty icon={Compass} title={t("states.missing")} action={<Link to="/overview">{t("states.to_overview")}</Link>}>
      {t("states.missing_why")}
    </Empty>
  );
}
