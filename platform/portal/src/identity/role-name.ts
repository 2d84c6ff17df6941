import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";

/** Roles that every installation has, by their ids; the portal has words for them in each language. */
export const PRESETS = ["admin", "user", "annotator"] as const;

export function presetOf(id: string): (typeof PRESETS)[number] | undefined {
  return PRESETS.find((each) => each === id);
}

/** What a role is called: a preset one in the reader's language, any other as whoever made it called it. */
export function useRoleName(): (role: Pick<Schemas["RoleReference"], "id" | "name">) => string {
  const { t } = useTranslation("identity");
  return ({ id, name }) => {
    const preset = presetOf(id);
    return preset ? t(`role.${preset}`) : name;
  };
}
