import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Dropdown } from "antd";
import { KeyRound, LogOut } from "lucide-react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useFailures } from "@/elements/failures";
import { aboutQuery } from "./about";
import { useSession, useSetSession } from "./session";
import "./user-menu.css";

export function UserMenu() {
  const { t } = useTranslation(["identity", "common"]);
  const { user } = useSession();
  const queries = useQueryClient();
  const setSession = useSetSession();
  const navigate = useNavigate();
  const failures = useFailures();
  const about = useQuery(aboutQuery);

  async function signOut() {
    try {
      await body(api.DELETE("/api/v1/session"));
    } catch (error) {
      failures.tell({ key: "session/end", title: t("sign_out_failed"), error, retry: signOut });
      return;
    }
    failures.settle("session/end");
    setSession(null);
    await navigate({ to: "/sign-in", search: {} });
    // Nothing of this person stays for the next one.
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" && queryKey[0] !== "about" });
  }

  return (
    <Dropdown
      trigger={["click"]}
      placement="bottomRight"
      menu={{
        items: [
          {
            key: "who",
            type: "group",
            label: (
              <div className="user-who">
                <strong>{user.nickname || user.name}</strong>
                <span>
                  {user.name} · {user.roles.map((role) => t(`role.${role}`)).join(", ")}
                </span>
              </div>
            ),
          },
          { type: "divider" },
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
      <button
        type="button"
        className="icon-button"
        aria-label={t("common:shell.user", { name: user.name })}
        aria-haspopup="menu"
      >
        <span className="avatar" aria-hidden>
          {(user.nickname || user.name).slice(0, 1).toUpperCase()}
        </span>
      </button>
    </Dropdown>
  );
}
