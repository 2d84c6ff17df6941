import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Logo } from "@/appearance/logo";
import { AppearanceMenu, LanguageMenu } from "@/appearance/preference-menus";
import { aboutQuery } from "./about";
import "./entrance.css";

/** The frame of the pages in front of the portal. */
export function Entrance({ title, purpose, children }: { title: string; purpose: string; children: ReactNode }) {
  const { t } = useTranslation(["identity", "common"]);
  const about = useQuery(aboutQuery);
  useEffect(() => {
    document.title = `${title} · ${t("common:product.name")}`;
  }, [title, t]);
  return (
    <div className="entrance">
      <header>
        <LanguageMenu />
        <AppearanceMenu />
      </header>
      <main>
        <div className="entrance-card">
          <div className="entrance-brand">
            <Logo size={44} />
            <span>{t("common:product.name")}</span>
          </div>
          <h1>{title}</h1>
          <p>{purpose}</p>
          {children}
        </div>
      </main>
      <footer className="tabular">
        {about.data ? t("where", { cluster: about.data.cluster, version: about.data.version }) : "\u00a0"}
      </footer>
    </div>
  );
}
