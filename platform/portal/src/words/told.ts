import type { i18n as I18n, ResourceNamespaceMap } from "i18next";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import type { ApiProblem, FieldError } from "@/api/problem";
import { resourceName } from "@/formats/devices";

type Namespace = keyof ResourceNamespaceMap;
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

/** The text of a code: the server's codes are no types here, a newer server may know more of them. */
function textOf(i18n: I18n, key: string): string | undefined {
  return i18n.getResource(i18n.language, "codes", key) as string | undefined;
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
  const given = { message, ...readable(params ?? {}) };
  if ("resource" in given) given.resource = resourceName(String(given.resource)) ?? i18n.t("memory");
  const found = [key, `${key}_brief`].find((each) => fits(textOf(i18n, each), given));
  return found === undefined ? message : i18n.t(found as never, { ns: "codes", ...given });
}

/** A reason of the server in the reader's language; one that this portal does not know yet, in the server's words. */
export function useReason(): (reason: Reason) => string {
  const { i18n } = useTranslation("codes");
  return (reason) => wordsOf(i18n, `reason.${reason.code}`, reason);
}

/** A mistake at a field, in the reader's language where the code is known. */
export function useFieldWords(): (error: FieldError) => string {
  const { i18n } = useTranslation("codes");
  return (error) => wordsOf(i18n, `field_error.${error.code}`, error);
}

/** The mistakes of a request as a whole: what no field of a form shows. */
export function wholeWords(i18n: I18n, errors: FieldError[]): string {
  const whole = errors.filter((each) => !each.field);
  return whole.map((each) => wordsOf(i18n, `field_error.${each.code}`, each)).join(" ");
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
  // What goes wrong on the way to the server has its words in the portal, what the server refuses among its codes.
  const text = (part: string) => {
    const key = `problem.${problem.code}.${part}`;
    const found = (["codes", "common"] as const).find((ns) => i18n.exists(key, { ns }));
    return found === undefined ? undefined : String(i18n.t(key as never, { ns: found, detail: problem.detail }));
  };
  const title = text("title");
  if (!title)
    return { title: t("problem.other", { code: problem.code }), detail: problem.detail, remedy: problem.remedy };
  // In other languages only where it names what the title cannot, or as a mistake of the request as a whole.
  const detailed = i18n.language === "en" || text("detail") !== undefined;
  const detail = detailed ? problem.detail : wholeWords(i18n, problem.errors);
  return { title, detail: problem.status >= 400 ? detail : "", remedy: text("remedy") ?? "" };
}

/** The words of a key that is made of what the server says, where this portal has them. */
export function useKnown(ns: Namespace): (key: string) => string | undefined {
  const { i18n } = useTranslation(ns);
  return (key) => (i18n.exists(key, { ns }) ? i18n.t(key as never, { ns }) : undefined);
}
