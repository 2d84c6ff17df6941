import { useInfiniteQuery } from "@tanstack/react-query";
import { Checkbox } from "antd";
import Input from "antd/es/input/Input";
import { Search } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { useTranslation } from "react-i18next";
import { Answer } from "@/elements/states";
import { presetOf, useRoleName } from "@/identity/role-name";
import { More } from "./list";
import { type Role, rolesQuery } from "./queries";
import "./people.css";

/** With more of them than an eye takes in, a few letters help. */
const WORDS_FROM = 9;

/** What a role is for: a preset one in the reader's language. */
export function useRoleDescription(): (role: Pick<Role, "id" | "description">) => string {
  const { t } = useTranslation("people");
  return ({ id, description }) => {
    const preset = presetOf(id);
    return preset ? t(`preset_${preset}`) : description;
  };
}

/** Every role with what it is for, to be ticked; a field of a form. */
export function RoleChoice({
  value = [],
  onChange,
  "aria-describedby": describedBy,
}: {
  value?: string[];
  onChange?: (chosen: string[]) => void;
  "aria-describedby"?: string;
}) {
  const { t } = useTranslation("people");
  const roleName = useRoleName();
  const description = useRoleDescription();
  const [words, setWords] = useState("");
  const looked = useDeferredValue(words.trim());
  const query = useInfiniteQuery(rolesQuery(looked || undefined));
  const many = words !== "" || query.hasNextPage || (query.data?.pages[0]?.items.length ?? 0) >= WORDS_FROM;
  return (
    <fieldset className="role-choice" aria-describedby={describedBy}>
      <legend className="visually-hidden">{t("roles")}</legend>
      {many && (
        <Input
          allowClear
          className="people-words"
          prefix={<Search size={14} aria-hidden />}
          placeholder={t("role_words")}
          aria-label={t("role_words")}
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onPressEnter={(event) => event.preventDefault()}
        />
      )}
      <Answer query={query} rows={3}>
        {({ pages }) => (
          <>
            <ul>
              {pages
                .flatMap((page) => page.items)
                .map((role) => (
                  <li key={role.id}>
                    <Checkbox
                      checked={value.includes(role.id)}
                      onChange={({ target }) =>
                        onChange?.(target.checked ? [...value, role.id] : value.filter((each) => each !== role.id))
                      }
                    >
                      <span className="choice-name">{roleName(role)}</span>
                      <span className="choice-why">{description(role)}</span>
                    </Checkbox>
                  </li>
                ))}
            </ul>
            {pages[0]?.items.length === 0 && <p className="quiet">{t("choice_none")}</p>}
            <More query={query} />
          </>
        )}
      </Answer>
    </fieldset>
  );
}
