import { theme as antd, type ThemeConfig } from "antd";

/** How the portal is coloured: what the person chose; `system` follows the operating system. */
export type Appearance = "light" | "dark" | "system";
export type Shade = "light" | "dark";

/** Every colour of the portal. Text colours reach 4.5:1 on `surface`, `subtle` and `muted` of their shade. */
const PALETTES = {
  light: {
    surface: "#ffffff",
    subtle: "#f7f8f8",
    muted: "#eef1f1",
    raised: "#ffffff",
    line: "#e2e6e7",
    "line-strong": "#c9d0d2",
    text: "#14181b",
    "text-2": "#4a535a",
    "text-3": "#5f6970",
    primary: "#0b756d",
    "primary-hover": "#095f59",
    "primary-soft": "#dff2ef",
    "on-primary": "#ffffff",
    success: "#18732f",
    "success-soft": "#ddf4e2",
    warning: "#855900",
    "warning-soft": "#fdf2cf",
    danger: "#c01f2b",
    "danger-soft": "#ffe9e7",
    info: "#0a5cc2",
    "info-soft": "#e0eefd",
    "code-bg": "#f4f6f6",
    shadow: "0 1px 2px rgb(16 24 32 / 5%), 0 8px 24px rgb(16 24 32 / 8%)",
  },
  dark: {
    surface: "#0f1315",
    subtle: "#14191c",
    muted: "#1d2428",
    raised: "#181e21",
    line: "#262e33",
    "line-strong": "#3b464d",
    text: "#e9eef0",
    "text-2": "#aeb8be",
    "text-3": "#929da4",
    primary: "#38c4b5",
    "primary-hover": "#5ad6c9",
    "primary-soft": "#10302d",
    "on-primary": "#04211e",
    success: "#4cc46a",
    "success-soft": "#12301c",
    warning: "#dba83a",
    "warning-soft": "#332709",
    danger: "#fb7a76",
    "danger-soft": "#3b1719",
    info: "#6cb0ff",
    "info-soft": "#112a47",
    "code-bg": "#12171a",
    shadow: "0 1px 2px rgb(0 0 0 / 40%), 0 12px 32px rgb(0 0 0 / 50%)",
  },
} as const satisfies Record<Shade, Record<string, string>>;

/** Colours of lines in charts, in order; distinct in both shades and to people who see few colours. */
export const SERIES: Record<Shade, readonly string[]> = {
  light: ["#0b756d", "#b4540a", "#5a4fcf", "#b3246b", "#2f6fb5", "#6d7a10"],
  dark: ["#38c4b5", "#f0a35e", "#a79bff", "#f07ab2", "#6cb0ff", "#c3cf5a"],
};

export type Palette = (typeof PALETTES)[Shade];

export function paletteOf(shade: Shade): Palette {
  return PALETTES[shade];
}

export const FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif';
export const MONO =
  'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace';

/** The same palette for antd. */
export function antdTheme(shade: Shade): ThemeConfig {
  const p = PALETTES[shade];
  return {
    algorithm: shade === "dark" ? antd.darkAlgorithm : antd.defaultAlgorithm,
    token: {
      colorPrimary: p.primary,
      colorPrimaryHover: p["primary-hover"],
      colorPrimaryActive: p["primary-hover"],
      colorLink: p.primary,
      colorLinkHover: p["primary-hover"],
      colorSuccess: p.success,
      colorWarning: p.warning,
      colorError: p.danger,
      colorInfo: p.info,
      colorText: p.text,
      colorTextSecondary: p["text-2"],
      colorTextTertiary: p["text-3"],
      colorTextDescription: p["text-3"],
      colorTextPlaceholder: p["text-3"],
      colorBgContainer: p.surface,
      colorBgLayout: p.surface,
      colorBgElevated: p.raised,
      colorBorder: p["line-strong"],
      colorBorderSecondary: p.line,
      colorSplit: p.line,
      colorTextLightSolid: p["on-primary"],
      fontFamily: FONT,
      fontFamilyCode: MONO,
      fontSize: 14,
      borderRadius: 6,
      controlHeight: 32,
      motionDurationMid: "0.12s",
      motionDurationSlow: "0.16s",
      wireframe: false,
    },
    components: {
      Button: { primaryShadow: "none", defaultShadow: "none", dangerShadow: "none", fontWeight: 500 },
      Tabs: { horizontalMargin: "0 0 16px", titleFontSize: 14, horizontalItemGutter: 24 },
      Tooltip: { colorBgSpotlight: shade === "dark" ? "#2c353a" : "#1d2428", colorTextLightSolid: "#f2f5f6" },
      Modal: { titleFontSize: 16 },
      Form: { labelColor: p.text, verticalLabelPadding: "0 0 6px", itemMarginBottom: 20 },
      Segmented: { itemSelectedBg: p.surface, trackBg: p.muted },
      Select: { optionSelectedBg: p["primary-soft"], optionSelectedColor: p.text },
    },
  };
}

const STORED = "atoll.appearance";
const dark = () => window.matchMedia("(prefers-color-scheme: dark)");

export function storedAppearance(): Appearance {
  const value = localStorage.getItem(STORED);
  return value === "light" || value === "dark" ? value : "system";
}

export function shadeOf(appearance: Appearance): Shade {
  if (appearance !== "system") return appearance;
  return dark().matches ? "dark" : "light";
}

export function onSystemShade(listener: () => void): () => void {
  const query = dark();
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

const listeners = new Set<(appearance: Appearance) => void>();

/** Have the portal in another appearance from now on. */
export function chooseAppearance(wanted: Appearance): void {
  if (wanted === storedAppearance()) return;
  applyAppearance(wanted);
  for (const each of listeners) each(wanted);
}

/** Calls the listener after each choice, until the returned function is called. */
export function onAppearance(listener: (appearance: Appearance) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Make the palette known to the style sheets as `--name`, and remember the choice. */
export function applyAppearance(appearance: Appearance): Shade {
  const shade = shadeOf(appearance);
  const root = document.documentElement;
  root.dataset.theme = shade;
  for (const [name, value] of Object.entries(PALETTES[shade])) root.style.setProperty(`--${name}`, value);
  root.style.setProperty("--font", FONT);
  root.style.setProperty("--mono", MONO);
  if (appearance === "system") localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, appearance);
  return shade;
}
