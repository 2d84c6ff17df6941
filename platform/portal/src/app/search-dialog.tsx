import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Modal } from "antd";
import { type LucideIcon, Plus, Search, Server } from "lucide-react";
import { type KeyboardEvent, useDeferredValue, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useMay } from "@/identity/session";
import { nodesQuery } from "@/nodes/query";
import { STATES } from "@/tasks/states";
import { useMenu } from "./menu";
import "./search-dialog.css";

interface Hit {
  id: string;
  group: "pages" | "tasks" | "nodes";
  icon: LucideIcon;
  label: string;
  detail?: string;
  to: string;
}

const PER_GROUP = 8;

/** Goes anywhere by a few letters: pages, tasks, nodes. */
export default function SearchDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const hits = useHits(useDeferredValue(words.trim()));
  const at = Math.min(chosen, Math.max(0, hits.length - 1));

  useEffect(() => {
    list.current?.querySelector(`[data-at="${at}"]`)?.scrollIntoView({ block: "nearest" });
  }, [at]);

  function go(hit: Hit | undefined) {
    if (!hit) return;
    onClose();
    navigate({ href: hit.to });
  }

  function onKey(event: KeyboardEvent) {
    if (event.key === "ArrowDown") setChosen(Math.min(at + 1, hits.length - 1));
    else if (event.key === "ArrowUp") setChosen(Math.max(at - 1, 0));
    else if (event.key === "Enter") go(hits[at]);
    else return;
    event.preventDefault();
  }

  return (
    <Modal
      open
      footer={null}
      closable={false}
      onCancel={onClose}
      width={600}
      className="search-dialog"
      title={null}
      style={{ top: 96 }}
    >
      <div className="search-field">
        <Search size={16} aria-hidden />
        <input
          // biome-ignore lint/a11y/noAutofocus: the dialog was opened to type in it
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls="search-hits"
          aria-activedescendant={hits[at] ? `hit-${hits[at].id}` : undefined}
          aria-label={t("shell.search")}
          placeholder={t("shell.search_hint")}
          value={words}
          onChange={(event) => {
            setWords(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKey}
        />
        <kbd>{t("shell.key_escape")}</kbd>
      </div>
      <div id="search-hits" role="listbox" aria-label={t("shell.search_results")} className="search-hits" ref={list}>
        {hits.map((hit, index) => {
          const Icon = hit.icon;
          return (
            <div key={hit.id}>
              {hits[index - 1]?.group !== hit.group && (
                <div className="search-group" aria-hidden>
                  {t(`shell.search_${hit.group}`)}
                </div>
              )}
              <div
                id={`hit-${hit.id}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === at}
                data-at={index}
                className="search-hit"
                onMouseMove={() => setChosen(index)}
                onClick={() => go(hit)}
                onKeyDown={onKey}
              >
                <Icon size={15} aria-hidden />
                <span>{hit.label}</span>
                {hit.detail && <small>{hit.detail}</small>}
              </div>
            </div>
          );
        })}
        {hits.length === 0 && <p className="search-none">{t("shell.search_none", { words })}</p>}
      </div>
    </Modal>
  );
}

function useHits(words: string): Hit[] {
  const { t } = useTranslation();
  const menu = useMenu();
  const may = useMay();
  const tasks = useQuery({
    queryKey: ["tasks", "search", words],
    queryFn: () =>
      body(api.GET("/api/v1/tasks", { params: { query: { words: words || undefined, limit: PER_GROUP } } })),
    enabled: may("tasks:read"),
    placeholderData: (before) => before,
  });
  const nodes = useQuery({ ...nodesQuery, enabled: may("nodes:read") });
  const fits = (text: string) => text.toLowerCase().includes(words.toLowerCase());

  const pages: Hit[] = menu.map(({ id, to, icon }) => ({
    id,
    group: "pages",
    icon,
    label: t(`menu.${id}`),
    to,
  }));
  if (may("tasks:create"))
    pages.push({ id: "new", group: "pages", icon: Plus, label: t("training.new"), to: "/training/new" });
  return [
    ...pages.filter((page) => fits(page.label) || fits(page.id)),
    ...(tasks.data?.items ?? []).map(
      (task): Hit => ({
        id: task.id,
        group: "tasks",
        icon: STATES[task.state].icon,
        label: task.name,
        detail: t(`state.${task.state}`),
        to: `/training/${task.id}`,
      }),
    ),
    ...(nodes.data?.items ?? [])
      .filter((node) => words !== "" && (fits(node.name) || fits(node.address)))
      .slice(0, PER_GROUP)
      .map(
        (node): Hit => ({
          id: `node-${node.name}`,
          group: "nodes",
          icon: Server,
          label: node.name,
          detail: node.address,
          to: "/nodes",
        }),
      ),
  ];
}
