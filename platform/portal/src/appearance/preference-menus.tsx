import { Tooltip } from "antd";
import { Languages, Monitor, Moon, Sun } from "lucide-react";
import { useTranslation } from "react-i18next";
import { LANGUAGES, type Language, switchLanguage } from "@/words/language";
import { MenuButton } from "./menu-button";
import { useAppearance } from "./preferences";
import { type Appearance, chooseAppearance } from "./theme";

/** `choose` has more to do than to switch where somebody is signed in: it follows them. */
export function LanguageMenu({ choose = switchLanguage }: { choose?: (language: Language) => unknown }) {
  const { t, i18n } = useTranslation();
  return (
    <MenuButton
      menu={{
        selectable: true,
        selectedKeys: [i18n.language],
        items: Object.entries(LANGUAGES).map(([key, label]) => ({ key, label: <span lang={key}>{label}</span> })),
        onClick: ({ key }) => choose(key as Language),
      }}
    >
      {(waiting) => (
        <button
          type="button"
          className="icon-button"
          aria-label={t("shell.language")}
          aria-haspopup="menu"
          disabled={waiting}
        >
          <Languages size={16} aria-hidden />
        </button>
      )}
    </MenuButton>
  );
}

const APPEARANCES: { key: Appearance; icon: typeof Sun }[] = [
  { key: "light", icon: Sun },
  { key: "dark", icon: Moon },
  { key: "system", icon: Monitor },
];

export function AppearanceMenu({ choose = chooseAppearance }: { choose?: (appearance: Appearance) => unknown }) {
  const { t } = useTranslation();
  const { appearance, shade } = useAppearance();
  const Icon = shade === "dark" ? Moon : Sun;
  return (
    <MenuButton
      menu={{
        selectable: true,
        selectedKeys: [appearance],
        items: APPEARANCES.map(({ key, icon: Each }) => ({
          key,
          label: t(`shell.appearance_${key}`),
          icon: <Each size={14} aria-hidden />,
        })),
        onClick: ({ key }) => choose(key as Appearance),
      }}
    >
      {(waiting) => (
        <Tooltip title={t("shell.appearance")}>
          <button
            type="button"
            className="icon-button"
            aria-label={t("shell.appearance")}
            aria-haspopup="menu"
            disabled={waiting}
          >
            <Icon size={16} aria-hidden />
          </button>
        </Tooltip>
      )}
    </MenuButton>
  );
}
