import type { DropdownProps } from "antd";
import { lazy, type ReactElement, Suspense } from "react";

const Dropdown = lazy(() => import("./dropdown"));

/** A button with a menu. The menu is there a moment after the button, which until then cannot be pressed. */
export function MenuButton({
  children,
  ...dropdown
}: Pick<DropdownProps, "menu" | "placement"> & { children: (waiting: boolean) => ReactElement }) {
  return (
    <Suspense fallback={children(true)}>
      <Dropdown trigger={["click"]} {...dropdown}>
        {children(false)}
      </Dropdown>
    </Suspense>
  );
}
