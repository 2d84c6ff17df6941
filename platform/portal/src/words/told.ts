import type { i18n as I18n, ResourceNamespaceMap } from "i18next";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { ApiProblem, type FieldError } from "@/api/problem";
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
 * The words of a code in the reader's language. Where one code is told with other parameters (the engine of a cluster
 * knows others than the one for development), `<key>_brief` are the words. What has none is shown in the server's.
 */
export function wordsOf(i18n: I18n, key: string, { message, params }: Told): string {
  const given = readable(params ?? {});
  const why = because(i18n, params ?? {});
  if (why) given.why = why;
  if ("resource" in given) given.resource = resourceName(String(given.resource)) ?? i18n.t("memory");
  const found = [key, `${key}_brief`].find((each) => fits(textOf(i18n, each), given));
  return found === undefined ? message : i18n.t(found as never, { ns: "codes", ...given });
}

/** What another part refused is told by that part's own code: in the reader's language, too. */
function because(i18n: I18n, { cause, cause_params: params, why }: Record<string, unknown>): string {
  if (typeof cause !== "string") return "";
  const told = { code: cause, status: 0, detail: String(why ?? ""), params: (params ?? {}) as Record<string, unknown> };
  const { title, detail } = problemWords(i18n, new ApiProblem(told));
  return detail || title;
}

/** A reason of the server in the reader's language; one that this portal does not know yet, in the server's words. */
export function useReason(): (reason: Reason) => string {
  const { i18n } = useTranslation("codes");
  return (reason) => wordsOf(i18n, `reason.${reason.code}`, reason);
}

function fieldWords(i18n: I18n, error: FieldError): string {
  return wordsOf(i18n, `field_error.${error.code}`, error);
}

/** A mistake at a field, in the reader's language where the code is known. */
export function useFieldWords(): (error: FieldError) => string {
  const { i18n } = useTranslation("codes");
  return (error) => fieldWords(i18n, error);
}

export interface ProblemWords {
  title: string;
  detail: string;
  remedy: string;
}

/** Says no more than that its errors say it. */
const MISTAKES = "invalid_request";

/** What a refusal says, in the reader's language where the code is known, else in the server's words. */
export function problemWords(i18n: I18n, problem: ApiProblem): ProblemWords {
  const place = `problem.${problem.code}`;
  // What goes wrong on the way to the server has its words in the portal, what the server refuses among its codes.
  const ns = (["codes", "common"] as const).find((each) => i18n.exists(`${place}.title`, { ns: each }));
  if (ns === undefined) {
    return { title: i18n.t("problem.other", { code: problem.code }), detail: problem.detail, remedy: problem.remedy };
  }
  // A server of another version may tell less than these words need: then its own are better than none.
  const text = (part: "title" | "detail" | "remedy", servers: string) => {
    const key = `${place}.${part}`;
    const given = readable(problem.params);
    if (!i18n.exists(key, { ns })) return "";
    return fits(i18n.getResource(i18n.language, ns, key), given)
      ? String(i18n.t(key as never, { ns, ...given }))
      : servers;
  };
  const mistakes = problem.code === MISTAKES ? problem.errors.map((error) => fieldWords(i18n, error)).join(" ") : "";
  return {
    title: text("title", problem.code),
    detail: text("detail", problem.detail) || mistakes,
    remedy: text("remedy", problem.remedy),
  };
}

/** The same as a hook; nothing where nothing went wrong. */
export function useProblemWords(problem: ApiProblem | undefined): ProblemWords {
  const { i18n } = useTranslation();
  return problem ? problemWords(i18n, problem) : { title: "", detail: "", remedy: "" };
}

/** The words of a key that is made of what the server says, where this portal has them. */
export function useKnown(ns: Namespace): (key: string) => string | undefined {
  const { i18n } = useTranslation(ns);
  return (key) => (i18n.exists(key, { ns }) ? i18n.t(key as never, { ns }) : undefined);
}
