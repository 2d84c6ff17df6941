import { useTranslation } from "react-i18next";

/**
 * What a feature is called where it is not loaded yet: in the menu, the search, the overview. The features are a list, so
 * their keys are no types; a test looks whether each has the names that it must have.
 */
export function useNames(): (feature: string, name: string) => string {
  const { i18n } = useTranslation();
  return (feature, name) => String(i18n.getResource(i18n.language, "names", `${feature}.${name}`) ?? name);
}
