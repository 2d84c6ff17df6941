import { useQuery } from "@tanstack/react-query";
import { Button, Segmented, Select } from "antd";
import Input from "antd/es/input/Input";
import { Columns3, Search } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "@/identity/session";
import { clustersQuery } from "@/virtual-clusters/active";
import { STATE_ORDER } from "../states";
import type { Column } from "./columns";
import type { ListSearch } from "./search";
import "./list.css";

const ColumnChoice = lazy(() => import("./column-choice"));

interface FilterBarProps {
  search: ListSearch;
  change: (part: Partial<ListSearch>) => void;
  hidden: Column[];
  setHidden: (hidden: Column[]) => void;
}

/** Filters of the list; they live in the address. */
export function FilterBar({ search, change, hidden, setHidden }: FilterBarProps) {
  const { t } = useTranslation("tasks");
  const may = useMay();
  const clusters = useQuery({ ...clustersQuery, enabled: may("virtual_clusters:read") });
  const [words, setWords] = useState(search.words ?? "");
  const given = search.words ?? "";

  useEffect(() => setWords(given), [given]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the clock
  useEffect(() => {
    if (words === given) return;
    const timer = setTimeout(() => change({ words: words || undefined }), 250);
    return () => clearTimeout(timer);
  }, [words]);

  return (
    <search className="filter-bar">
      <Input
        className="filter-words"
        prefix={<Search size={14} aria-hidden />}
        placeholder={t("filter_words")}
        aria-label={t("filter_words")}
        allowClear
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <Select
        className="filter-state"
        mode="multiple"
        allowClear
        maxTagCount="responsive"
        placeholder={t("filter_state")}
        aria-label={t("filter_state")}
        value={search.state ?? []}
        options={STATE_ORDER.map((state) => ({ value: state, label: t(`state.${state}`) }))}
        onChange={(state) => change({ state: state.length > 0 ? state : undefined })}
        showSearch={{ optionFilterProp: "label" }}
      />
      {(clusters.data?.length ?? 0) > 1 && (
        <Select
          className="filter-cluster"
          allowClear
          placeholder={t("filter_cluster")}
          aria-label={t("filter_cluster")}
          value={search.virtual_cluster}
          options={clusters.data?.map((cluster) => ({ value: cluster.name, label: cluster.name }))}
          onChange={(virtual_cluster) => change({ virtual_cluster })}
        />
      )}
      {may("tasks:read_all") && (
        <Segmented
          aria-label={t("filter_owner")}
          value={search.owner ?? "me"}
          options={[
            { value: "me", label: t("mine") },
            { value: "all", label: t("everybody") },
          ]}
          onChange={(owner) => change({ owner: owner === "all" ? "all" : undefined })}
        />
      )}
      <span className="filter-space" />
      <Suspense fallback={<Button disabled icon={<Columns3 size={15} aria-hidden />} aria-label={t("columns")} />}>
        <ColumnChoice hidden={hidden} setHidden={setHidden} />
      </Suspense>
    </search>
  );
}
