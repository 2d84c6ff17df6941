import { ConfigProvider } from "antd";
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { antdWords } from "@/words/language";
import {
  type Appearance,
  antdTheme,
  applyAppearance,
  onAppearance,
  onSystemShade,
  type Shade,
  shadeOf,
  storedAppearance,
} from "./theme";

interface AppearanceContext {
  appearance: Appearance;
  shade: Shade;
}

const Context = createContext<AppearanceContext | null>(null);

export function useAppearance(): AppearanceContext {
  const value = use(Context);
  if (!value) throw new Error("useAppearance outside of Preferences");
  return value;
}

/** The bar at the top stays where it is while the page scrolls, so what opens from it lies in it. */
function besideItsOpener(opener?: HTMLElement): HTMLElement {
  return opener?.closest<HTMLElement>("header.top") ?? document.body;
}

/** Appearance and language for everything below. */
export function Preferences({ children }: { children: ReactNode }) {
  useTranslation(); // antd's words are others when the language changes
  const [appearance, setAppearance] = useState(storedAppearance);
  const [shade, setShade] = useState<Shade>(() => applyAppearance(storedAppearance()));

  useEffect(() => onSystemShade(() => setShade(applyAppearance(storedAppearance()))), []);
  useEffect(
    () =>
      onAppearance((wanted) => {
        setAppearance(wanted);
        setShade(shadeOf(wanted));
      }),
    [],
  );

  const context = useMemo(() => ({ appearance, shade }), [appearance, shade]);
  const theme = useMemo(() => antdTheme(shade), [shade]);
  return (
    <Context value={context}>
      <ConfigProvider
        theme={theme}
        locale={antdWords()}
        button={{ autoInsertSpace: false }}
        wave={{ disabled: true }}
        getPopupContainer={besideItsOpener}
      >
        {children}
      </ConfigProvider>
    </Context>
  );
}
