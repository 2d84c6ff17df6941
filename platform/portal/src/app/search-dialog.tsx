import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Modal } from "antd";
import { Plus, Search } from "lucide-react";
import { type KeyboardEvent, useDeferredValue, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFocusBack } from "@/elements/focus";
import type { Hit } from "@/features/feature";
import { menusOf } from "@/features/menu";
import { useFeatures, useKinds } from "@/features/registry";
import { useMenu } from "@/identity/menu";
import { useMay } from "@/identity/session";
import { useNames } from "@/words/names";
import "./search-dialog.css";

interface Found extends Hit {
  group: string;
}

/** Goes anywhere by a few letters: pages, and whatever the features let a person find. */
export default function SearchDialog({ onClose }: { onClose: () => void }) {
  useFocusBack();
  const { t } = useTranslation();
  useTranslation(useSources().map(({ feature }) => feature) as never); // loads the words that hits are told in
  const navigate = useNavigate();
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const hits = useHits(useDeferredValue(words.trim()));
  const at = Math.min(chosen, Math.max(0, hits.length - 1));

  useEffect(() => {
    list.current?.querySelector(`[data-at="${at}"]`)?.scrollIntoView({ block: "nearest" });
  }, [at]);

  function go(hit: Found | undefined) {
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
                  {hit.group}
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

/** Pages first, then what the features find, each below the title of its feature. */
function useHits(words: string): Found[] {
  const { t, i18n } = useTranslation();
  const names = useNames();
  const may = useMay();
  const queries = useQueryClient();
  const kinds = useKinds();
  const sources = useSources();
  const found = useQueries({
    queries: sources.map(({ feature, search }) => ({
      queryKey: ["search", feature, words, i18n.language],
      queryFn: () => search.find(words, { queries, kinds, i18n }),
      staleTime: 2_000,
      placeholderData: (before: Hit[] | undefined) => before,
    })),
  });
  const fits = (text: string) => text.toLowerCase().includes(words.toLowerCase());
  const pages = [
    ...menusOf(useMenu())
      .flatMap(({ folder, entries }) =>
        entries.map((entry) => ({ ...entry, detail: folder ? t(`menu.${folder}`) : "" })),
      )
      .flatMap(({ feature, name, to, icon, detail, form }) => {
        const page = { id: `${feature}-${name}`, icon, label: names(feature, name), detail, to };
        const made = form && may(form.needs) && { id: `${feature}-${form.name}`, label: names(feature, form.name) };
        return made ? [page, { ...made, icon: Plus, detail, to: form.to }] : [page];
      }),
    ...kinds.flatMap(({ kind, feature, form }) =>
      form && may(form.needs)
        ? [{ id: `new-${kind}`, icon: Plus, label: names(feature, "new"), detail: "", to: form.path }]
        : [],
    ),
  ];
  return [
    ...pages
      .filter((page) => fits(page.label) || fits(page.id) || fits(page.detail))
      .map((hit): Found => ({ ...hit, group: t("shell.search_pages") })),
    ...sources.flatMap(({ feature }, index) =>
      (found[index]?.data ?? []).map(
        (hit): Found => ({ ...hit, id: `${feature}-${hit.id}`, group: names(feature, "search") }),
      ),
    ),
  ];
}

function useSources() {
  const may = useMay();
  return useFeatures().flatMap(({ name, search }) => (search && may(search.needs) ? [{ feature: name, search }] : []));
}
