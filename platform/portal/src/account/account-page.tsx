import { useTranslation } from "react-i18next";
import { LinkButton } from "@/elements/link-button";
import { Page } from "@/elements/page";
import { useSession } from "@/identity/session";
import { Sessions } from "./sessions";
import { Tokens } from "./tokens";
import "./account.css";

/** The own account: from where it is used, and by which programs. */
export function AccountPage() {
  const { t } = useTranslation("account");
  const { user } = useSession();
  return (
    <Page
      title={t("title")}
      purpose={t("purpose", { name: user.name })}
      actions={
        <LinkButton to="/password" search={{ next: "/account" }}>
          {t("change_password")}
        </LinkButton>
      }
    >
      <div className="account">
        <Sessions />
        <Tokens />
      </div>
    </Page>
  );
}
