import { Button } from "antd";
import Input from "antd/es/input/Input";
import { type LucideIcon, Search, SearchX } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Panel } from "@/elements/page";
import { Answer, Empty } from "@/elements/states";
import "./people.css";

const TYPING_MS = 300;

/** Words that reach the address once a person pauses. */
export function WordsFilter({
  label,
  value = "",
  onChange,
}: {
  label: string;
  value?: string;
  onChange: (words: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const pause = setTimeout(() => onChange(typed || undefined), TYPING_MS);
    return () => clearTimeout(pause);
  }, [typed, value, onChange]);
  return (
    <Input
      allowClear
      className="people-words"
      prefix={<Search size={14} aria-hidden />}
      placeholder={label}
      aria-label={label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}

/** What is needed of a query of pages. */
interface Paged<T> {
  data: { pages: { items: T[] }[] } | undefined;
  isError: boolean;
  error: unknown;
  dataUpdatedAt: number;
  refetch: () => unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** A list of users, groups or roles, page by page; what stands there when it is empty depends on whether it is filtered. */
export function People<T>({
  query,
  filtered,
  clear,
  empty,
  children,
}: {
  query: Paged<T>;
  filtered: boolean;
  clear: () => void;
  empty: { icon: LucideIcon; title: string; text: string; action?: ReactNode };
  children: (rows: T[]) => ReactNode;
}) {
  const { t } = useTranslation(["people", "common"]);
  return (
    <Answer query={query} rows={8}>
      {({ pages }) => {
        const rows = pages.flatMap((page) => page.items);
        if (rows.length > 0) {
          return (
            <Panel className="flush">
              {children(rows)}
              <More query={query} />
            </Panel>
          );
        }
        return filtered ? (
          <Empty
            icon={SearchX}
            title={t("none_fit")}
            action={<Button onClick={clear}>{t("common:actions.clear_filters")}</Button>}
          >
            {t("none_fit_why")}
          </Empty>
        ) : (
          <Empty icon={empty.icon} title={empty.title} action={empty.action}>
            {empty.text}
          </Empty>
        );
      }}
    </Answer>
  );
}

/** The way to what is not read yet. */
export function More<T>({ query }: { query: Paged<T> }) {
  const { t } = useTranslation();
  if (!query.hasNextPage) return null;
  return (
    <footer className="people-more">
      <Button size="small" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
        {t("actions.more")}
      </Button>
    </footer>
  );
}
