import { useTranslation } from "react-i18next";
import { useKnown } from "@/words/told";

const KINDS = ["platform", "annotation", "administration"] as const;

/** What a permission or a kind of them lets somebody do; one that this portal does not know yet by its name. */
export function useGrantWords(): (name: string) => string {
  const { t } = useTranslation("roles");
  const known = useKnown("roles");
  return (name) => {
    const kind = KINDS.find((each) => each === name);
    return kind ? t(`kind_${kind}`) : (known(`permission_${name.replaceAll(":", "_")}`) ?? name);
  };
}
