import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import "./page.css";

export interface Crumb {
  to: string;
  label: string;
}

export interface PageProps {
  title: string;
  /** One line that says what the page is for. */
  purpose?: ReactNode;
  /** The way up, only below level one. */
  crumbs?: Crumb[];
  /** Beside the title: a state, a count. */
  aside?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, purpose, crumbs, aside, actions, children }: PageProps) {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = `${title} · ${t("product.name")}`;
  }, [title, t]);
  return (
    <div className="page">
      <header className="page-header">
        <div className="page-heading">
          {crumbs && (
            <nav aria-label={t("shell.breadcrumb")} className="page-crumbs">
              {crumbs.map((crumb, index) => (
                <span key={crumb.to} className="row">
                  {index > 0 && <ChevronRight size={12} aria-hidden />}
                  <Link to={crumb.to}>{crumb.label}</Link>
                </span>
              ))}
            </nav>
          )}
          <div className="page-title">
            <h1>{title}</h1>
            {aside}
          </div>
          {purpose && <p className="page-purpose">{purpose}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with a heading of its own. */
export function Panel({
  title,
  extra,
  children,
  className = "",
}: {
  title?: ReactNode;
  extra?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <section className={`panel ${className}`}>
      {title !== undefined && (
        <header className="panel-header">
          <h2>{title}</h2>
          {extra}
        </header>
      )}
      <div className="panel-body">{children}</div>
    </section>
  );
}
