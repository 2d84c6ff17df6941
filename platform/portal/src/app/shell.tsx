import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { PanelLeft } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Logo } from "@/appearance/logo";
import { SessionContext, sessionQuery } from "@/identity/session";
import { LiveTasks } from "@/tasks/live";
import { SideMenu } from "./side-menu";
import { TopBar } from "./top-bar";
import "./shell.css";

const SearchDialog = lazy(() => import("./search-dialog"));
const STORED = "atoll.menu";
const NARROW = "(max-width: 767px)";

/** The frame of every page for people who are signed in; empty in the moment between signing out and the sign-in page. */
export function Shell() {
  const { data: session } = useQuery(sessionQuery);
  return (
    session && (
      <SessionContext value={session}>
        <Frame />
      </SessionContext>
    )
  );
}

/** Side menu, top bar and the page between them. */
function Frame() {
  const { t } = useTranslation();
  const [collapsed, setCollapsed] = useState(() => localStorage.getItem(STORED) === "collapsed");
  const [drawer, setDrawer] = useState(false);
  const [searching, setSearching] = useState(false);
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page, not a new render, moves the focus
  useEffect(() => {
    setDrawer(false);
    if (first.current) first.current = false;
    else main.current?.focus({ preventScroll: true });
  }, [pathname]);

  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      const typing =
        event.target instanceof HTMLElement && event.target.closest("input, textarea, select, [contenteditable]");
      const slash = event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (slash || (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey))) {
        event.preventDefault();
        setSearching(true);
      }
      if (event.key === "Escape") setDrawer(false);
    }
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);

  function toggle() {
    if (window.matchMedia(NARROW).matches) {
      setDrawer(!drawer);
      return;
    }
    localStorage.setItem(STORED, collapsed ? "open" : "collapsed");
    setCollapsed(!collapsed);
  }

  return (
    <LiveTasks>
      <div className={`shell ${collapsed ? "shell-collapsed" : ""} ${drawer ? "shell-drawer" : ""}`}>
        <a className="skip" href="#main">
          {t("shell.skip")}
        </a>
        <header className="top">
          <button
            type="button"
            className="icon-button"
            onClick={toggle}
            aria-label={t("shell.toggle_menu")}
            aria-controls="menu"
          >
            <PanelLeft size={18} aria-hidden />
          </button>
          <Link to="/" className="brand">
            <Logo />
            <span>{t("product.name")}</span>
          </Link>
          <TopBar onSearch={() => setSearching(true)} />
        </header>
        <SideMenu collapsed={collapsed} />
        {drawer && (
          <button type="button" className="scrim" aria-label={t("actions.close")} onClick={() => setDrawer(false)} />
        )}
        <main id="main" className="main" ref={main} tabIndex={-1}>
          <Outlet />
        </main>
        {searching && (
          <Suspense>
            <SearchDialog onClose={() => setSearching(false)} />
          </Suspense>
        )}
      </div>
    </LiveTasks>
  );
}
