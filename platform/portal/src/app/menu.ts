import { Activity, BrainCircuit, History, LayoutDashboard, type LucideIcon, Server } from "lucide-react";
import type { Schemas } from "@/api/client";
import { useInstalled } from "@/identity/about";
import { useSession } from "@/identity/session";

type Permission = Schemas["Permission"];

export interface MenuEntry {
  /** Key of its words, `menu.<id>`. */
  id: "overview" | "training" | "nodes" | "services" | "runs";
  to: string;
  icon: LucideIcon;
  /** What the server must allow for it to be shown. */
  needs: Permission;
  /** Owned by the control service, which only an installed cluster has. */
  installed?: true;
  group: "work" | "cluster";
}

/** The one table of pages at level one: side menu and search are made from it. */
export const MENU: readonly MenuEntry[] = [
  { id: "overview", to: "/overview", icon: LayoutDashboard, needs: "overview:read", group: "work" },
  { id: "training", to: "/training", icon: BrainCircuit, needs: "tasks:read", group: "work" },
  { id: "nodes", to: "/nodes", icon: Server, needs: "nodes:read", group: "cluster" },
  { id: "services", to: "/services", icon: Activity, needs: "services:read", installed: true, group: "cluster" },
  { id: "runs", to: "/runs", icon: History, needs: "runs:read", installed: true, group: "cluster" },
];

/** What the server lets this person see, and what this installation has. */
export function useMenu(): MenuEntry[] {
  const { permissions } = useSession();
  const installed = useInstalled();
  return MENU.filter((entry) => permissions.includes(entry.needs) && (installed || !entry.installed));
}
