import { CircleCheck, CircleDashed, CircleDot, CircleSlash, CircleX, LoaderCircle, Minus, Unplug } from "lucide-react";

/** How a run looks as a whole; the words are `runs.state_<name>`. */
export const RUN_STATES = {
  running: { tone: "primary", icon: LoaderCircle, turns: true },
  succeeded: { tone: "success", icon: CircleCheck },
  failed: { tone: "danger", icon: CircleX },
  interrupted: { tone: "warning", icon: Unplug },
} as const;

/** How a phase looks as a whole and on one node (there also: ok, changed, unreachable); the words are `runs.phase_<name>`. */
export const PHASE_STATES = {
  waiting: { tone: "plain", icon: CircleDashed },
  running: { tone: "primary", icon: LoaderCircle, turns: true },
  succeeded: { tone: "success", icon: CircleCheck },
  failed: { tone: "danger", icon: CircleX },
  skipped: { tone: "plain", icon: CircleSlash },
  ok: { tone: "success", icon: CircleCheck },
  changed: { tone: "info", icon: CircleDot },
  unreachable: { tone: "danger", icon: Unplug },
} as const;

export const UNTOUCHED = { tone: "plain", icon: Minus } as const;
