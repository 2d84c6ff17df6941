import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Needs } from "@/features/feature";
import { useMay } from "@/identity/session";
import type { AuditRecord } from "./query";

/** Where what something was done to has a page, and what it takes to see it. */
const PAGES = {
  user: { to: "/users/$id", needs: "users:read" },
  group: { to: "/groups/$id", needs: "groups:read" },
  role: { to: "/roles/$id", needs: "roles:read" },
  task: { to: "/tasks/$id", needs: "tasks:read_all" },
  virtual_cluster: { to: "/virtual-clusters/$id", needs: "virtual_clusters:manage" },
} as const satisfies Record<string, { to: string; needs: Needs }>;

const isPage = (kind: string): kind is keyof typeof PAGES => kind in PAGES;

/** What it was done to, by name; leads there while it is there and the reader may see it. */
export function ObjectLink({ record }: { record: AuditRecord }) {
  const may = useMay();
  const { object_kind: kind, object_id: id, object_name: name } = record;
  const gone = record.action.endsWith(".delete");
  if (isPage(kind) && id !== "" && !gone && may(PAGES[kind].needs)) {
    return (
      <Link to={PAGES[kind].to} params={{ id }} className="audit-name">
        {name || id}
      </Link>
    );
  }
  return <span className="audit-name">{name || id || "–"}</span>;
}

/** Who did it, under the name of that moment. */
export function ActorLink({ record: { actor, actor_name: name } }: { record: AuditRecord }) {
  const { t } = useTranslation("audit");
  const may = useMay();
  if (name === "") return <span className="quiet">{t("nobody")}</span>;
  if (actor && may("users:read")) {
    return (
      <Link to="/users/$id" params={{ id: actor.id }} className="audit-name">
        {name}
      </Link>
    );
  }
  return <span className="audit-name">{name}</span>;
}
