import type { i18n as I18n } from "i18next";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import type { ApiProblem, FieldError } from "@/api/problem";
import { resourceName } from "@/virtual-clusters/devices";

type Reason = Schemas["Reason"];
type Params = Record<string, string | number>;

/** What the server tells by a code, with its own words for those who do not know the code. */
interface Told {
  message: string;
  params?: Record<string, unknown>;
}

/** Parameters as words: what is a list reads as one. */
export function readable(params: Record<string, unknown>): Params {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : typeof value === "number" ? value : String(value ?? ""),
    ]),
  );
}

/** Whether all that a text needs is told. */
export function fits(text: string | undefined, params: Params): boolean {
  const needed = [...(text ?? "").matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? "");
  return text !== undefined && needed.every((name) => (params[name] ?? "") !== "");
}

/**
 * The words of a code in the reader's language. Where one code is told with more or fewer parameters (the engine of a cluster
 * knows others than the one for development), `<key>_brief` needs fewer. What has no words is shown in the server's.
 */
export function wordsOf(i18n: I18n, key: string, { message, params }: Told): string {
  const given = { ...readable(params ?? {}), message };
  if ("resource" in given) given.resource = resourceName(String(given.resource)) ?? i18n.t("charts.name_memory");
  const found = [key, `${key}_brief`].find((each) =>
    fits(i18n.getResource(i18n.language, "translation", each) as string | undefined, given),
  );
  return found === undefined ? message : i18n.t(found, given);
}

/** A reason of the server in the reader's language; one that this portal does not know yet, in the server's words. */
export function useReason(): (reason: Reason) => string {
  const { i18n } = useTranslation();
  return (reason) => wordsOf(i18n, `reason.${reason.code}`, reason);
}

/** A mistake at a field, in the reader's language where the code is known. */
export function useFieldWords(): (error: FieldError) => string {
  const { i18n } = useTranslation();
  return (error) => wordsOf(i18n, `field_error.${error.code}`, error);
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
    // In other languages only where it names what the title cannot.
    const detailed = i18n.language === "en" || i18n.exists(`problem.${problem.code}.detail`);
    return {
      title: t(`problem.${problem.code}.title`),
      detail: problem.status >= 400 && detailed ? problem.detail : "",
      remedy: i18n.exists(remedy) ? t(remedy) : "",
    };
  }
  return { title: t("problem.other", { code: problem.code }), detail: problem.detail, remedy: problem.remedy };
}
