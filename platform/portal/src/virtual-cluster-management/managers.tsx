import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Page } from "@/elements/page";
import { Denied } from "@/elements/states";
import { useMay } from "@/identity/session";

/** A page that only those see who may manage virtual clusters. */
export function Managers({ children }: { children: ReactNode }) {
  const { t } = useTranslation("virtual_cluster_management");
  const may = useMay();
  if (may("virtual_clusters:manage")) return children;
  return (
    <Page title={t("title")}>
      <Denied />
    </Page>
  );
}
