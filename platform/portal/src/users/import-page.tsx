import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Page } from "@/elements/page";
import { Denied } from "@/elements/states";
import { useMay } from "@/identity/session";
import type { Imported } from "./import-file";
import { ImportUsers } from "./import-users";
import { MadeUsers } from "./made-users";

/** New users from a file: chosen, looked at, made; their initial passwords are downloaded once. */
export function ImportUsersPage() {
  const { t } = useTranslation("users");
  const may = useMay();
  const [made, setMade] = useState<Imported>();
  return (
    <Page title={t("import")} purpose={t("import_purpose")} crumbs={[{ to: "/users", label: t("title") }]}>
      {may("users:manage") ? made ? <MadeUsers made={made} /> : <ImportUsers done={setMade} /> : <Denied />}
    </Page>
  );
}
