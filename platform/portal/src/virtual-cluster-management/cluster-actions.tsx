import { useNavigate } from "@tanstack/react-router";
import { Button, Dropdown } from "antd";
import { Ellipsis, Pencil, Timer, Trash2, UserPlus, UsersRound } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/people/action";
import type { VirtualCluster } from "@/virtual-clusters/active";
import { useClustersChanged } from "./queries";

// Most people look at the list and change nothing.
const DIALOGS = {
  add: lazy(() => import("./add-members-dialog")),
  extend: lazy(() => import("./extend-dialog")),
  delete: lazy(() => import("./delete-dialog")),
};

/** What may be done to a virtual cluster: three things at hand, the rest under `…`; nothing while it is being deleted. */
export function ClusterActions({ cluster, compact = false }: { cluster: VirtualCluster; compact?: boolean }) {
  const { t } = useTranslation("virtual_cluster_management");
  const navigate = useNavigate();
  const changed = useClustersChanged();
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const { id, name } = cluster;
  if (cluster.standing === "deleting") return null;
  const labelled = (words: string) => ({ compact, words, label: t("action_named", { action: words, name }) });
  const Chosen = open && DIALOGS[open];
  return (
    <span className="people-actions">
      {compact ? (
        <Action
          {...labelled(t("users"))}
          icon={UsersRound}
          onClick={() => navigate({ to: "/virtual-clusters/$id", params: { id }, search: {} })}
        />
      ) : (
        <Action {...labelled(t("add_members"))} icon={UserPlus} onClick={() => setOpen("add")} />
      )}
      <Action
        {...labelled(t("edit"))}
        icon={Pencil}
        onClick={() => navigate({ to: "/virtual-clusters/$id/edit", params: { id } })}
      />
      {cluster.max_hours !== null && (
        <Action {...labelled(t("extend"))} icon={Timer} onClick={() => setOpen("extend")} />
      )}
      <Dropdown
        trigger={["click"]}
        placement="bottomRight"
        menu={{
          items: [
            ...(compact
              ? [
                  {
                    key: "add",
                    icon: <UserPlus size={14} aria-hidden />,
                    label: t("add_members"),
                    onClick: () => setOpen("add"),
                  },
                ]
              : []),
            {
              key: "delete",
              danger: true,
              icon: <Trash2 size={14} aria-hidden />,
              label: t("delete"),
              onClick: () => setOpen("delete"),
            },
          ],
        }}
      >
        <Button
          type={compact ? "text" : "default"}
          size={compact ? "small" : "middle"}
          icon={<Ellipsis size={15} aria-hidden />}
          aria-label={t("actions_named", { name })}
          aria-haspopup="menu"
        />
      </Dropdown>
      <Suspense>
        {Chosen && (
          <Chosen
            cluster={cluster}
            onClose={() => {
              setOpen(undefined);
              changed(); // also what was refused may be so because it has changed
            }}
          />
        )}
      </Suspense>
    </span>
  );
}
