import { useTranslation } from "react-i18next";
import { useKnown } from "@/words/told";

/** What was done, by its kind and its name there: what the server declares is what there is to choose from. */
export function useActions(): { kind: string; actions: { value: string; label: string }[] }[] {
  const { i18n } = useTranslation("codes");
  const table = (i18n.getResource(i18n.language, "codes", "action") ?? {}) as Record<string, Record<string, string>>;
  return Object.entries(table).map(([kind, actions]) => ({
    kind,
    actions: Object.entries(actions).map(([name, label]) => ({ value: `${kind}.${name}`, label })),
  }));
}

/** An action in the reader's language; one of another version by its name. */
export function useActionWords(): (action: string) => string {
  const known = useKnown("codes");
  return (action) => known(`action.${action}`) ?? action;
}

/** What something was done to, likewise. */
export function useKindWords(): (kind: string) => string {
  const known = useKnown("audit");
  return (kind) => known(`kind_${kind}`) ?? kind;
}

/** What is told beside an action, likewise. */
export function useDetailWords(): (name: string) => string {
  const known = useKnown("audit");
  return (name) => known(`detail_${name}`) ?? name;
}
