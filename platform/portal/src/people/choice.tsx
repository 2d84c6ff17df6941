import { useQuery } from "@tanstack/react-query";
import { Select } from "antd";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useRoleName } from "@/identity/role-name";
import { PEOPLE } from "./queries";
import "./people.css";

/** Somebody or something that can be chosen. */
export interface Option {
  value: string;
  label: string;
  detail?: string;
}

/** What is chosen from: the server looks for the words, among however many there are. */
export interface Source {
  key: "users" | "groups" | "roles" | "actors";
  find: (words: string) => Promise<Option[]>;
}

const MOST = 20;
const TYPING_MS = 200;

export const USERS: Source = {
  key: "users",
  find: async (words) => {
    const query = { words: words || undefined, limit: MOST };
    const { items } = await body(api.GET("/api/v1/users", { params: { query } }));
    return items.map(({ id, name, nickname }) => ({ value: id, label: name, detail: nickname }));
  },
};

export const GROUPS: Source = {
  key: "groups",
  find: async (words) => {
    const query = { words: words || undefined, limit: MOST };
    const { items } = await body(api.GET("/api/v1/groups", { params: { query } }));
    return items.map(({ id, name, description }) => ({ value: id, label: name, detail: description }));
  },
};

export function useRoleSource(): Source {
  const roleName = useRoleName();
  return {
    key: "roles",
    find: async (words) => {
      const query = { words: words || undefined, limit: MOST };
      const { items } = await body(api.GET("/api/v1/roles", { params: { query } }));
      return items.map((role) => ({ value: role.id, label: roleName(role) }));
    },
  };
}

/** What the server finds for what is typed, once the typing pauses. */
function useFound({ key, find }: Source) {
  const { i18n } = useTranslation();
  const [typed, setTyped] = useState("");
  const [words, setWords] = useState("");
  useEffect(() => {
    const pause = setTimeout(() => setWords(typed.trim()), TYPING_MS);
    return () => clearTimeout(pause);
  }, [typed]);
  const query = useQuery({
    queryKey: [...PEOPLE, key, "choice", words, i18n.language],
    queryFn: () => find(words),
    placeholderData: (before: Option[] | undefined) => before,
  });
  return {
    options: query.data ?? [],
    looking: query.isFetching || typed.trim() !== words,
    failed: query.isError,
    setTyped,
  };
}

interface ChoiceProps {
  id?: string;
  source: Source;
  placeholder: string;
  "aria-label"?: string;
  "aria-describedby"?: string;
  className?: string;
}

const optionRender = ({ data }: { data: { label?: unknown; detail?: string } }) => (
  <span className="choice-option">
    <span>{String(data.label)}</span>
    {data.detail && <span className="choice-detail">{data.detail}</span>}
  </span>
);

function useNothing(looking: boolean, failed: boolean): string {
  const { t } = useTranslation("people");
  if (failed) return t("choice_failed");
  return looking ? t("choice_looking") : t("choice_none");
}

/** Several, found by a few letters. `known` names those that are chosen from the start. */
export function Choices({
  value = [],
  onChange,
  known = [],
  source,
  ...shown
}: ChoiceProps & { value?: string[]; onChange?: (chosen: string[]) => void; known?: readonly Option[] }) {
  const { options, looking, failed, setTyped } = useFound(source);
  const nothing = useNothing(looking, failed);
  // The list closes with a choice: it would lie over what comes next, and leaving the field by Tab would undo the choice.
  const [open, setOpen] = useState(false);
  // What was chosen keeps its name when the words that found it are gone.
  const names = useRef(new Map<string, string>());
  for (const { value: id, label } of [...known, ...options]) names.current.set(id, label);
  return (
    <Select
      {...shown}
      mode="multiple"
      className="choices"
      open={open}
      onOpenChange={setOpen}
      onSelect={() => setOpen(false)}
      labelInValue
      value={value.map((id) => ({ value: id, label: names.current.get(id) ?? id }))}
      onChange={(chosen) => onChange?.(chosen.map((each) => each.value))}
      options={options}
      optionRender={optionRender as never}
      showSearch={{ filterOption: false, onSearch: setTyped, autoClearSearchValue: true }}
      notFoundContent={nothing}
      loading={looking}
    />
  );
}

/** One or none, found by a few letters. `known` names the one that is chosen from the start. */
export function Choice({
  value,
  onChange,
  known,
  source,
  className,
  ...shown
}: ChoiceProps & { value?: string; onChange: (chosen: string | undefined) => void; known?: string }) {
  const { options, looking, failed, setTyped } = useFound(source);
  const nothing = useNothing(looking, failed);
  const label = options.find((each) => each.value === value)?.label ?? known ?? value ?? "";
  return (
    <Select<{ value: string; label: string }>
      {...shown}
      className={className}
      allowClear
      labelInValue
      value={value === undefined ? undefined : { value, label }}
      onChange={(chosen?: { value: string }) => onChange(chosen?.value)}
      options={options as never}
      optionRender={optionRender as never}
      showSearch={{ filterOption: false, onSearch: setTyped }}
      notFoundContent={nothing}
      loading={looking}
    />
  );
}
