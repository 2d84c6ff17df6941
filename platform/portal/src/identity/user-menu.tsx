import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { KeyRound, LogOut, UserRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { MenuButton } from "@/appearance/menu-button";
import { aboutQuery } from "./about";
import { useRoleName } from "./role-name";
import { useSession } from "./session";
import { useSignOut } from "./sign-out";
import "./user-menu.css";

export function UserMenu() {
  const { t } = useTranslation(["identity", "common"]);
  const { user } = useSession();
  const roleName = useRoleName();
  const signOut = useSignOut();
  const navigate = useNavigate();
  const about = useQuery(aboutQuery);
  const shown = user.nickname || user.name;
  // What the button shows is part of what it is called, and in no brackets, which are not spoken.
  const called = shown === user.name ? user.name : `${user.name}, ${shown}`;

  return (
    <MenuButton
      placement="bottomRight"
      menu={{
        items: [
          {
            key: "who",
            type: "group",
            label: (
              <div className="user-who">
                <strong>{shown}</strong>
                <span>{[user.name, user.roles.map(roleName).join(", ")].filter(Boolean).join(" · ")}</span>
              </div>
            ),
          },
          { type: "divider" },
          {
            key: "account",
            icon: <UserRound size={14} aria-hidden />,
            label: t("account"),
            onClick: () => navigate({ to: "/account" }),
          },
          {
            key: "password",
            icon: <KeyRound size={14} aria-hidden />,
            label: t("change_password"),
            onClick: () => navigate({ to: "/password", search: {} }),
          },
          { key: "out", icon: <LogOut size={14} aria-hidden />, label: t("sign_out"), onClick: signOut },
          { type: "divider" },
          {
            key: "version",
            type: "group",
            label: (
              <span className="user-version">{t("common:shell.version", { version: about.data?.version ?? "–" })}</span>
            ),
          },
        ],
      }}
    >
      {(waiting) => (
        <button
          type="button"
          className="icon-button account-button"
          aria-label={t("common:shell.user", { name: called })}
          aria-haspopup="menu"
          disabled={waiting}
        >
          <span className="avatar" data-letter={shown.slice(0, 1).toUpperCase()} aria-hidden />
          <span className="account-name" aria-hidden>
            {shown}
          </span>
        </button>
      )}
    </MenuButton>
  );
}
