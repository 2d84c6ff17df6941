import { MessageCircleMore } from "lucide-react";
import type { WayName } from "./ways";

/** By what people find the button of a provider; nothing is loaded from there. */
export function WayMark({ way, size = 16 }: { way: WayName; size?: number }) {
  if (way === "wechat") return <MessageCircleMore size={size} aria-hidden />;
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path fill="#f25022" d="M1 1h6.5v6.5H1z" />
      <path fill="#7fba00" d="M8.5 1H15v6.5H8.5z" />
      <path fill="#00a4ef" d="M1 8.5h6.5V15H1z" />
      <path fill="#ffb900" d="M8.5 8.5H15V15H8.5z" />
    </svg>
  );
}
