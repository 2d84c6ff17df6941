import { useQuery } from "@tanstack/react-query";
import { Checkbox } from "antd";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { Answer } from "@/elements/states";
import { useGrantWords } from "@/people/grant-words";
import { byKind, covered, isImplied, MAIN, withGrant, withoutGrant } from "./grants";
import { permissionsQuery } from "./query";
import "./roles.css";
import "@/people/people.css";

interface ChoiceProps {
  value?: string[];
  onChange?: (grants: string[]) => void;
  "aria-describedby"?: string;
}

/** What a role grants: one of the two kinds for most, single permissions for those who need it finer. */
export function PermissionChoice({ value = [], onChange, "aria-describedby": describedBy }: ChoiceProps) {
  const { t } = useTranslation("roles");
  const query = useQuery(permissionsQuery);
  return (
    <fieldset className="permission-choice" aria-describedby={describedBy}>
      <legend className="visually-hidden">{t("permissions")}</legend>
      <Answer query={query} rows={4}>
        {(all) => <Permissions all={all} value={value} onChange={(grants) => onChange?.(grants)} />}
      </Answer>
    </fieldset>
  );
}

interface PermissionsProps {
  all: Schemas["Permissions"];
  value: string[];
  onChange: (grants: string[]) => void;
}

function Permissions({ all: { kinds, permissions }, value, onChange }: PermissionsProps) {
  const { t } = useTranslation("roles");
  const words = useGrantWords();
  const finer = value.some((each) => !(MAIN as readonly string[]).includes(each));
  const brought = covered(kinds, value);
  const toggle = (name: string, wanted: boolean) =>
    onChange(wanted ? withGrant(kinds, value, name) : withoutGrant(value, name));

  const kind = (name: "platform" | "annotation" | "administration") => {
    const implied = isImplied(value, name);
    return (
      <Checkbox
        key={name}
        className="permission-kind"
        checked={implied || value.includes(name)}
        disabled={implied && !value.includes(name)}
        onChange={({ target }) => toggle(name, target.checked)}
      >
        <span className="choice-name">{words(name)}</span>
        <span className="choice-why">{implied ? t("implied") : t(`kind_${name}_why`)}</span>
      </Checkbox>
    );
  };

  return (
    <>
      <div className="permission-kinds">{MAIN.map(kind)}</div>
      <details className="permission-finer" open={finer || undefined}>
        <summary>{t("finer")}</summary>
        <p className="quiet">{t("finer_why")}</p>
        {kinds.some(({ name }) => name === "administration") && (
          <div className="permission-kinds">{kind("administration")}</div>
        )}
        {byKind(kinds, permissions).map((part) => (
          <fieldset key={part.kind} className="permission-part">
            <legend>{words(part.kind)}</legend>
            <ul>
              {part.permissions.map((name) => (
                <li key={name}>
                  <Checkbox
                    checked={brought.has(name) || value.includes(name)}
                    disabled={brought.has(name)}
                    onChange={({ target }) => toggle(name, target.checked)}
                  >
                    {words(name)} <code className="quiet">{name}</code>
                  </Checkbox>
                  {name === "users:manage" && <p className="choice-why">{t("users_manage_why")}</p>}
                </li>
              ))}
            </ul>
          </fieldset>
        ))}
      </details>
    </>
  );
}
