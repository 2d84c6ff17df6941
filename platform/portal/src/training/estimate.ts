import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, body, type Schemas } from "@/api/client";
import { refreshMs } from "@/api/refresh";
import { RULES } from "@/api/rules.gen";
import { quantity } from "@/formats/amounts";
import type { TaskCreate } from "./form";

export type Estimate = Schemas["Estimate"];

const TYPING_MS = 300;

/** What stands in for fields that are still empty or break a rule, which the field itself says already. */
const STAND_INS = { name: "untitled", start_file: "main.py", code_directory: "" } as const;

/** The request with everything in it that can be judged, so that the rest of the form already gets an answer. */
export function judged(request: TaskCreate): TaskCreate {
  const found = { ...request };
  for (const [field, standIn] of Object.entries(STAND_INS) as [keyof typeof STAND_INS, string][]) {
    const { pattern, maxLength } = RULES.TrainingCreate[field];
    const value = found[field];
    if (value === undefined || value === null) continue; // the request does without it
    if (!new RegExp(pattern).test(value) || value.length > maxLength) found[field] = standIn;
  }
  found.parameters = found.parameters?.filter((each) => new RegExp(RULES.Parameter.name.pattern).test(each.name));
  const { limits } = found;
  if (limits && (quantity(limits.cpu) === null || quantity(limits.memory) === null)) delete found.limits;
  if ((found.description?.length ?? 0) > RULES.TrainingCreate.description.maxLength) delete found.description;
  return found;
}

/** Whether it is said which program it is about: of a form in which nothing is chosen there is nothing to judge. */
export function isAboutSomething(request: TaskCreate): boolean {
  return Boolean(request.image || (request.framework && (request.start_file || request.code_directory)));
}

function useSettled<T>(value: T): T {
  const text = JSON.stringify(value);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return JSON.parse(settled) as T;
}

/** Ask the server, a moment after the last key, what this task would use and when it would start. */
export function useEstimate(request: TaskCreate) {
  const complete = useSettled(judged(request));
  return useQuery({
    queryKey: ["training", "estimate", complete],
    queryFn: () => body(api.POST("/api/v1/trainings/estimate", { body: complete })),
    // What is asked for settles later than what is typed: an image that has just been named is not in it yet.
    enabled:
      complete.virtual_cluster !== "" && Boolean(complete.framework || complete.image) && isAboutSomething(request),
    placeholderData: (before) => before,
    refetchInterval: refreshMs,
    retry: false,
  });
}
