import { House } from "lucide-react";
import { useTranslation } from "react-i18next";
import { waysTo } from "./queries";

/** The folders on the way to the one that is shown. */
export function Ways({ root, path, go }: { root: string; path: string; go: (path: string) => void }) {
  const { t } = useTranslation("files");
  return (
    <nav className="folder-ways" aria-label={t("way")}>
      <button type="button" onClick={() => go("")} aria-current={path === "" ? "location" : undefined}>
        <House size={14} aria-hidden />
        {root}
      </button>
      {waysTo(path).map((way) => (
        <span key={way.path}>
          <span className="quiet" aria-hidden>
            /
          </span>
          <button type="button" onClick={() => go(way.path)} aria-current={way.path === path ? "location" : undefined}>
            {way.name}
          </button>
        </span>
      ))}
    </nav>
  );
}
