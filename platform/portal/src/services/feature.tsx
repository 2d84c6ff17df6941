import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Activity, EthernetPort } from "lucide-react";
import type { Feature } from "@/features/feature";
import { shell } from "@/features/roots";
import { Health } from "./health";
import type words from "./locales/en.json";

declare module "i18next" {
  interface ResourceNamespaceMap {
    services: typeof words;
  }
}

const page = createRoute({
  getParentRoute: () => shell,
  path: "/services",
  component: lazyRouteComponent(() => import("./services-page"), "ServicesPage"),
});

const ports = createRoute({
  getParentRoute: () => shell,
  path: "/ports",
  component: lazyRouteComponent(() => import("./ports-page"), "PortsPage"),
});

/** The parts of the platform, their state and their logs; what listens on the nodes. */
export const services = {
  name: "services",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [page, ports],
  menu: [
    {
      name: "menu",
      to: "/services",
      icon: Activity,
      needs: "services:read",
      installed: true,
      place: "visual_operations/services",
    },
    {
      name: "ports",
      to: "/ports",
      icon: EthernetPort,
      needs: "services:read",
      installed: true,
      place: "visual_operations/ports",
    },
  ],
  glance: { needs: "services:read", installed: true, View: Health },
} as const satisfies Feature;
