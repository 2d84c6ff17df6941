import { useTranslation } from "react-i18next";
import { Page } from "@/elements/page";
import { Denied } from "@/elements/states";
import { useMay } from "@/identity/session";
import { NewUsers } from "./new-users";

export function NewUsersPage() {
  const { t } = useTranslation("users");
  const may = useMay();
  return (
    <Page title={t("new")} purpose={t("new_purpose")} crumbs={[{ to: "/users", label: t("title") }]}>
      {may("users:manage") ? <NewUsers /> : <Denied />}
    </Page>
  );
}
