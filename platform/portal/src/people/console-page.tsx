import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Hourglass, Plus, ShieldCheck, User, UsersRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { LinkButton } from "@/elements/link-button";
import { Page, Panel } from "@/elements/page";
import { Answer, Denied } from "@/elements/states";
import { useMay } from "@/identity/session";
import { countsQuery } from "./queries";
import { READS } from "./reads";
import "./people.css";

const PARTS = [
  { of: "users", icon: User, reads: "users:read", makes: "users:manage" },
  { of: "groups", icon: UsersRound, reads: "groups:read", makes: "groups:manage" },
  { of: "roles", icon: ShieldCheck, reads: "roles:read", makes: "roles:manage" },
] as const;

/** How many users, groups and roles there are, and the shortest way to another one. */
export function ConsolePage() {
  const { t } = useTranslation("people");
  const may = useMay();
  return (
    <Page title={t("title")} purpose={t("purpose")}>
      {may(READS) ? <Counts /> : <Denied />}
    </Page>
  );
}

function Counts() {
  const { t } = useTranslation("people");
  const may = useMay();
  const query = useQuery(countsQuery);
  return (
    <Answer query={query} rows={4}>
      {(counts) => (
        <div className="console">
          {PARTS.filter(({ reads }) => may(reads)).map(({ of, icon: Icon, makes }) => (
            <Panel key={of}>
              <div className="console-part">
                <h2>
                  <Icon size={16} aria-hidden />
                  {t(of)}
                </h2>
                <p className="console-count tabular">{counts[of]}</p>
                <p className="quiet">{t(`about_${of}`)}</p>
                {of === "users" && counts.waiting > 0 && (
                  <Link to="/users" search={{ waiting: true }} className="console-waiting">
                    <Hourglass size={14} aria-hidden />
                    {t("waiting", { count: counts.waiting })}
                  </Link>
                )}
                <div className="row">
                  {may(makes) && (
                    <LinkButton to={`/${of}/new`} primary icon={<Plus size={15} aria-hidden />}>
                      {t(`new_${of}`)}
                    </LinkButton>
                  )}
                  <Link to={`/${of}`} className="console-all">
                    {t(`all_${of}`)}
                  </Link>
                </div>
              </div>
            </Panel>
          ))}
        </div>
      )}
    </Answer>
  );
}
