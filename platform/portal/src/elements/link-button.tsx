import { createLink } from "@tanstack/react-router";
import { Button, type ButtonProps } from "antd";

type AnchorButtonProps = Omit<ButtonProps, "type"> & { href?: string; primary?: boolean };

function AnchorButton({ primary = false, ...props }: AnchorButtonProps) {
  return <Button {...props} type={primary ? "primary" : "default"} />;
}

/** A link that looks like a button; it stays one link to the keyboard and to screen readers. */
export const LinkButton = createLink(AnchorButton);
