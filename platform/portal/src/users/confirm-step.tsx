import { useQueries } from "@tanstack/react-query";
import { Button, Form, Tooltip } from "antd";
import Input from "antd/es/input/Input";
import { Dices } from "lucide-react";
import { useTranslation } from "react-i18next";
import { RULES } from "@/api/rules.gen";
import { CopyButton } from "@/elements/code";
import { Fact, Facts } from "@/elements/facts";
import { useFieldRules } from "@/elements/rules";
import { useRoleName } from "@/identity/role-name";
import { groupQuery, roleQuery } from "@/people/queries";
import { EMPTY, type FormFields, type PersonFields } from "./form";
import { holdsName, proposedPassword } from "./password";

const { minLength } = RULES.NewUser.password;

/** What will be made, with the first password of each: proposed, to be copied now or changed. */
export function ConfirmStep() {
  const { t } = useTranslation(["users", "people"]);
  const form = Form.useFormInstance<FormFields>();
  const { users, roles, groups, virtual_clusters } = {
    ...EMPTY,
    ...(Form.useWatch([], { form, preserve: true }) as FormFields | undefined),
  };
  const all = users.map((user) => `${user?.name ?? ""}\t${user?.password ?? ""}`).join("\n");
  return (
    <>
      <ul className="confirm-people">
        {users.map((user, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place in the list is what the fields are named by
          <li key={index} className="confirm-person">
            <Told user={user} />
            <Password index={index} user={user} />
          </li>
        ))}
      </ul>
      {users.length > 1 && (
        <div className="row confirm-all">
          <span>{t("copy_all")}</span>
          <CopyButton text={all} label={t("copy_all")} />
        </div>
      )}
      <Facts>
        <Fact name={t("roles")}>
          <RoleNames ids={roles} />
        </Fact>
        {groups.length > 0 && (
          <Fact name={t("groups")}>
            <GroupNames ids={groups} />
          </Fact>
        )}
        <Fact name={t("virtual_clusters")}>
          {virtual_clusters.length > 0 ? virtual_clusters.join(", ") : t("no_virtual_cluster")}
        </Fact>
      </Facts>
    </>
  );
}

function Told({ user }: { user: PersonFields | undefined }) {
  return (
    <div className="confirm-who">
      <strong>{user?.name}</strong>
      <span>{user?.nickname}</span>
      {user?.phone && <span className="quiet tabular">{user.phone}</span>}
      {user?.email && <span className="quiet">{user.email}</span>}
    </div>
  );
}

function Password({ index, user }: { index: number; user: PersonFields | undefined }) {
  const { t } = useTranslation("users");
  const form = Form.useFormInstance<FormFields>();
  const rules = useFieldRules();
  const name = user?.name ?? "";
  return (
    <div className="confirm-password">
      <Form.Item
        name={["users", index, "password"]}
        label={t("password_of", { name })}
        extra={t("password_rule", { count: minLength })}
        validateFirst
        rules={[
          ...rules(RULES.NewUser.password),
          {
            validator: (_, value: string) =>
              holdsName(value ?? "", name) ? Promise.reject(new Error(t("password_holds_name"))) : Promise.resolve(),
          },
        ]}
      >
        <Input
          className="mono"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          suffix={
            <>
              <CopyButton text={user?.password ?? ""} label={t("password_copy", { name })} />
              <Tooltip title={t("password_other")}>
                <Button
                  size="small"
                  type="text"
                  icon={<Dices size={14} aria-hidden />}
                  aria-label={t("password_other_named", { name })}
                  onClick={() => form.setFieldValue(["users", index, "password"], proposedPassword(name))}
                />
              </Tooltip>
            </>
          }
        />
      </Form.Item>
    </div>
  );
}

function RoleNames({ ids }: { ids: string[] }) {
  const roleName = useRoleName();
  const found = useQueries({ queries: ids.map((id) => roleQuery(id)) });
  return ids.map((id, index) => roleName({ id, name: found[index]?.data?.name ?? "…" })).join(", ");
}

function GroupNames({ ids }: { ids: string[] }) {
  const found = useQueries({ queries: ids.map((id) => groupQuery(id)) });
  return ids.map((_, index) => found[index]?.data?.name ?? "…").join(", ");
}
