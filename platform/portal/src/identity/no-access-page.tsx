import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Button } from "antd";
import { CircleCheck, CircleX, LogOut, RotateCw } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/api/problem";
import { useFeatures } from "@/features/registry";
import { clock } from "@/formats/moments";
import { aboutQuery } from "./about";
import { type Lack, lacksOf } from "./admission";
import { Entrance } from "./entrance";
import { EntranceProblem } from "./entrance-problem";
import { type Session, sessionQuery } from "./session";
import { useSignOut } from "./sign-out";
import "./no-access.css";

const LACKS = ["role", "virtual_cluster"] as const satisfies readonly Lack[];

/** What somebody sees to whom nobody has given anything yet: what is missing, and whom to ask. */
export function NoAccessPage() {
  const { data: session } = useQuery(sessionQuery);
  return session && <NoAccess session={session} />;
}

function NoAccess({ session }: { session: Session }) {
  const { t, i18n } = useTranslation("identity");
  const { next } = useSearch({ strict: false });
  const features = useFeatures();
  const lacks = lacksOf(session, features);
  const about = useQuery(aboutQuery);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const [busy, setBusy] = useState(false);
  const [looked, setLooked] = useState<{ at: string; error?: unknown }>();

  async function lookAgain() {
    setBusy(true);
    try {
      const now = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
      if (now === null) return await navigate({ to: "/sign-in", search: { next } });
      if (lacksOf(now, features).length === 0) return await navigate({ href: next ?? "/" });
      setLooked({ at: new Date().toISOString() });
    } catch (error) {
      setLooked({ at: new Date().toISOString(), error });
    }
    setBusy(false);
  }

  return (
    <Entrance title={t("no_access")} purpose={t("no_access_who", { name: session.user.name })}>
      <ul className="lacks" aria-label={t("no_access_needed")}>
        {LACKS.map((each) => {
          const lacking = lacks.includes(each);
          const Icon = lacking ? CircleX : CircleCheck;
          return (
            <li key={each} className={lacking ? "lack" : undefined}>
              <Icon size={16} aria-hidden />
              <div>
                <strong>{t(`lack_${each}`)}</strong>
                <p>{t(lacking ? `lack_${each}_none` : `lack_${each}_there`)}</p>
              </div>
            </li>
          );
        })}
      </ul>
      <div className="lacks-ask">
        {t("no_access_ask", { name: session.user.name, cluster: about.data?.cluster ?? "–" })}
      </div>
      {looked?.error !== undefined && <EntranceProblem problem={problemOf(looked.error)} />}
      <div role="status" className="lacks-looked">
        {looked && looked.error === undefined && t("no_access_still", { at: clock(looked.at, i18n.language) })}
      </div>
      <div className="stack">
        <Button type="primary" block loading={busy} icon={<RotateCw size={14} aria-hidden />} onClick={lookAgain}>
          {t("look_again")}
        </Button>
        <Button block icon={<LogOut size={14} aria-hidden />} onClick={signOut}>
          {t("sign_out")}
        </Button>
      </div>
      <div className="entrance-again">
        <Link to="/password" search={{ next }}>
          {t("change_password")}
        </Link>
      </div>
    </Entrance>
  );
}
