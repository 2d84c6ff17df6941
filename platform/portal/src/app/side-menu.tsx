import { Link, useLocation, useRouter } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { menusOf, type ShownEntry, type ShownMenu } from "@/features/menu";
import type { FolderName } from "@/features/places";
import { useMenu } from "@/identity/menu";
import { useNames } from "@/words/names";
import "./side-menu.css";

const STORED = "atoll.menu.closed";

function closedBefore(): readonly string[] {
  return (localStorage.getItem(STORED) ?? "").split(" ").filter(Boolean);
}

/** The menus that this person has pages in. As a strip of icons (`collapsed`) it shows every page by its own. */
export function SideMenu({ collapsed }: { collapsed: boolean }) {
  const { t } = useTranslation();
  const menus = menusOf(useMenu());
  const { pathname } = useLocation();
  const [closed, setClosed] = useState(closedBefore);
  const here = menus.find(({ entries }) => entries.some(({ to }) => pathname === to || pathname.startsWith(`${to}/`)));
  const name = here?.name;

  // Whoever comes to a page sees where it stands; closed by hand after that, its menu stays closed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page, too, though its menu be the same
  useEffect(() => setClosed((before) => before.filter((each) => each !== name)), [name, pathname]);

  function turn(folder: string) {
    const next = closed.includes(folder) ? closed.filter((each) => each !== folder) : [...closed, folder];
    localStorage.setItem(STORED, next.join(" "));
    setClosed(next);
  }

  return (
    <nav id="menu" className="side" aria-label={t("shell.menu")}>
      <ul>
        {menus.map((menu) => (
          <li key={menu.name} className={menu.apart ? "side-apart" : undefined}>
            {menu.folder ? (
              <Folder
                menu={menu}
                name={menu.folder}
                open={!closed.includes(menu.name)}
                turn={() => turn(menu.name)}
                collapsed={collapsed}
              />
            ) : (
              menu.entries.map((entry) => <Entry key={entry.to} entry={entry} collapsed={collapsed} />)
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface FolderProps {
  menu: ShownMenu;
  name: FolderName;
  open: boolean;
  turn: () => void;
  collapsed: boolean;
}

function Folder({ menu, name, open, turn, collapsed }: FolderProps) {
  const { t } = useTranslation();
  const id = useId();
  const { icon: Icon, entries } = menu;
  return (
    <div className={open ? undefined : "side-closed"}>
      <button type="button" className="side-link side-folder" aria-expanded={open} aria-controls={id} onClick={turn}>
        <Icon size={16} aria-hidden />
        <span>{t(`menu.${name}`)}</span>
        <ChevronDown size={14} aria-hidden />
      </button>
      <ul id={id} className="side-subs">
        {entries.map((entry) => (
          <li key={entry.to}>
            <Entry entry={entry} collapsed={collapsed} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Entry({ entry, collapsed }: { entry: ShownEntry; collapsed: boolean }) {
  const router = useRouter();
  const names = useNames();
  const { feature, name, to, icon: Icon } = entry;
  return (
    <Link
      to={to}
      className="side-link"
      activeProps={{ "aria-current": "page" }}
      title={collapsed ? names(feature, name) : undefined}
      onFocus={() => router.preloadRoute({ to })}
    >
      <Icon size={16} aria-hidden />
      <span>{names(feature, name)}</span>
    </Link>
  );
}
