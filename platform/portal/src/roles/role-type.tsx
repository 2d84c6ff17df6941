import { Lock, UserCog } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Tag } from "@/elements/tag";

/** Whether every installation has it, or somebody here made it. */
export function RoleType({ preset }: { preset: boolean }) {
  const { t } = useTranslation("roles");
  return preset ? (
    <Tag tone="info" icon={Lock}>
      {t("preset")}
    </Tag>
  ) : (
    <Tag tone="plain" icon={UserCog}>
      {t("custom")}
    </Tag>
  );
}
