import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  OctagonX,
  Rocket,
  ShieldQuestion,
} from "lucide-react";
import type { Schemas } from "@/api/client";

export type TaskState = Schemas["State"];
export type Tone = "plain" | "info" | "success" | "warning" | "danger" | "primary";

export interface StateLook {
  tone: Tone;
  icon: LucideIcon;
  /** Whether the icon turns: something is going on. */
  turns?: boolean;
}

/** The one table of how task states look; the words are `state.<name>`. */
export const STATES: Record<TaskState, StateLook> = {
  unapproved: { tone: "warning", icon: ShieldQuestion },
  queued: { tone: "warning", icon: Hourglass },
  scheduling: { tone: "info", icon: Rocket },
  running: { tone: "primary", icon: LoaderCircle, turns: true },
  pausing: { tone: "plain", icon: CirclePause },
  paused: { tone: "plain", icon: CirclePause },
  stopping: { tone: "plain", icon: CircleDashed },
  finished: { tone: "success", icon: CircleCheck },
  failed: { tone: "danger", icon: CircleX },
  killed: { tone: "plain", icon: Ban },
  error: { tone: "danger", icon: OctagonX },
};

export const UNKNOWN: StateLook = { tone: "plain", icon: CircleAlert };

/** States in the order in which people look for them. */
export const STATE_ORDER = Object.keys(STATES) as TaskState[];

export const ENDED: readonly TaskState[] = ["finished", "failed", "killed", "error"];
export const WAITING: readonly TaskState[] = ["unapproved", "queued", "scheduling"];
