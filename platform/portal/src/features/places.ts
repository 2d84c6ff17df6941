import {
  Activity,
  Box,
  BrainCircuit,
  Code,
  Database,
  Gauge,
  Images,
  Layers,
  LayoutDashboard,
  ListChecks,
  type LucideIcon,
  Rocket,
  Settings,
  UsersRound,
} from "lucide-react";

interface Sub {
  name: string;
  administration?: true;
}

/** A menu with a page of its own, or one with sub-menus that have them. */
interface Menu {
  name: string;
  icon: LucideIcon;
  /** Only for who administers; what the server lets a person see is judged by the permission of the page. */
  administration?: true;
  subs?: readonly Sub[];
  /** A line in front of it. */
  apart?: true;
}

/**
 * The side menu: the twelve menus of the product's manual (seed 002) with their sub-menus, in its order, and behind them
 * user management, which the manual has beside the platform. A feature says where its page belongs; a menu without a page
 * that the person may see is not shown. What the manual has no word for stands below the menu that it belongs to.
 */
export const MENUS = [
  { name: "overview", icon: LayoutDashboard },
  { name: "code_development", icon: Code },
  { name: "data_management", icon: Database, subs: [{ name: "dataset_management" }, { name: "data_annotation" }] },
  {
    name: "model_training",
    icon: BrainCircuit,
    subs: [
      { name: "training_list" },
      { name: "training_visualisation" },
      { name: "training_parameter_management" },
      { name: "preset_models" },
    ],
  },
  {
    name: "model_management",
    icon: Box,
    subs: [
      { name: "my_models" },
      { name: "evaluation_list" },
      { name: "evaluation_parameter_management" },
      { name: "visual_modelling" },
    ],
  },
  { name: "inference_service", icon: Rocket, subs: [{ name: "central_inference" }, { name: "edge_inference" }] },
  {
    name: "resource_monitoring",
    icon: Gauge,
    subs: [{ name: "resources" }, { name: "nodes", administration: true }],
  },
  { name: "virtual_cluster", icon: Layers, administration: true },
  { name: "task_management", icon: ListChecks, administration: true },
  {
    name: "visual_operations",
    icon: Activity,
    subs: [
      { name: "alerts" },
      { name: "services", administration: true },
      { name: "ports", administration: true },
      { name: "runs", administration: true },
      { name: "audit", administration: true },
    ],
  },
  { name: "image_management", icon: Images },
  { name: "settings", icon: Settings },
  {
    name: "user_management",
    icon: UsersRound,
    apart: true,
    subs: [
      { name: "console", administration: true },
      { name: "users", administration: true },
      { name: "groups", administration: true },
      { name: "roles", administration: true },
    ],
  },
] as const satisfies readonly Menu[];

type Of<M> = M extends { name: infer Name extends string; subs: readonly { name: infer Sub extends string }[] }
  ? `${Name}/${Sub}`
  : M extends { name: infer Name extends string }
    ? Name
    : never;

/** Where a page stands in the side menu: `overview`, `model_training/training_list`. */
export type Place = Of<(typeof MENUS)[number]>;
export type MenuName = (typeof MENUS)[number]["name"];
/** A menu that has sub-menus instead of a page: it is called `menu.<name>`. */
export type FolderName = Extract<(typeof MENUS)[number], { subs: unknown }>["name"];

/** Every place, in the order of the menu, and whether it is for who administers. */
export const PLACES: ReadonlyMap<Place, { administration: boolean }> = new Map(
  (MENUS as readonly Menu[]).flatMap(({ name, administration = false, subs }) =>
    subs
      ? subs.map((sub) => [`${name}/${sub.name}` as Place, { administration: sub.administration ?? false }] as const)
      : [[name as Place, { administration }] as const],
  ),
);
