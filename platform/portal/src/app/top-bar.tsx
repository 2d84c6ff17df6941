import { Search } from "lucide-react";
import { useTranslation } from "react-i18next";
import { AppearanceMenu, LanguageMenu } from "@/appearance/preference-menus";
import { useFeatures } from "@/features/registry";
import { useInstalled } from "@/identity/about";
import { useChoose } from "@/identity/choices";
import { useMay } from "@/identity/session";
import { UserMenu } from "@/identity/user-menu";
import { ClusterPicker } from "@/virtual-clusters/cluster-picker";
import "./top-bar.css";

export function TopBar({ onSearch }: { onSearch: () => void }) {
  const { t } = useTranslation();
  const may = useMay();
  const installed = useInstalled();
  const choose = useChoose();
  const glances = useFeatures().flatMap(({ name, glance }) => (glance ? [{ name, ...glance }] : []));
  return (
    <>
      {may("virtual_clusters:read") && <ClusterPicker />}
      <div className="top-space" />
      {glances
        .filter((each) => may(each.needs) && (installed || !each.installed))
        .map(({ name, View }) => (
          <View key={name} />
        ))}
      <button type="button" className="search-button" onClick={onSearch} aria-label={t("shell.search")}>
        <Search size={14} aria-hidden />
        <span>{t("shell.search")}</span>
        <kbd aria-hidden>/</kbd>
      </button>
      <LanguageMenu choose={(language) => choose({ language })} />
      <AppearanceMenu choose={(appearance) => choose({ appearance })} />
      <UserMenu />
    </>
  );
}
