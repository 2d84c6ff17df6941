import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import type { ApiProblem } from "@/api/problem";

type Reason = Schemas["Reason"];

/** Parameters as words: what is a list reads as one. */
export function readable(params: Record<string, unknown>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : typeof value === "number" ? value : String(value ?? ""),
    ]),
  );
}

/** A reason of the server in the reader's language; one that this portal does not know yet, in the server's words. */
export function useReason(): (reason: Reason) => string {
  const { t, i18n } = useTranslation();
  return (reason) => {
    const key = `reason.${reason.code}`;
    return i18n.exists(key) ? t(key, readable(reason.params ?? {})) : reason.message;
  };
}

export interface ProblemWords {
  title: string;
  detail: string;
  remedy: string;
}

/** What a refusal says, in the reader's language where the code is known, else in the server's words. */
export function useProblemWords(problem: ApiProblem | undefined): ProblemWords {
  const { t, i18n } = useTranslation();
  if (!problem) return { title: "", detail: "", remedy: "" };
  const known = i18n.exists(`problem.${problem.code}.title`);
  if (known) {
    const remedy = `problem.${problem.code}.remedy`;
    return {
      title: t(`problem.${problem.code}.title`),
      detail: problem.status >= 400 && i18n.language === "en" ? problem.detail : "",
      remedy: i18n.exists(remedy) ? t(remedy) : "",
    };
  }
  return { title: t("problem.other", { code: problem.code }), detail: problem.detail, remedy: problem.remedy };
}
