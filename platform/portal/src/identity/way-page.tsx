import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { Button } from "antd";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { problemOf } from "@/api/problem";
import { useFeedback } from "@/elements/feedback";
import { Loading } from "@/elements/states";
import { type Arrival, arrival } from "./arrival";
import { Entrance } from "./entrance";
import { EntranceProblem } from "./entrance-problem";
import { type Session, useSetSession } from "./session";
import { WayAccountForm } from "./way-account-form";
import { type Begun, begun, forgetBegun, type WayName, wayOf } from "./ways";

/** What the API says of who came back. It is told once: a second time it is worth nothing. */
const returnQuery = (way: WayName, came: Arrival) =>
  queryOptions({
    queryKey: ["way", way, came.state],
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    queryFn: () => body(api.POST("/api/v1/session/ways/{way}", { params: { path: { way } }, body: came })),
  });

/** Where a browser comes back to from a provider: signed in, linked, or nobody's here yet. */
export function WayPage() {
  const { t } = useTranslation("identity");
  const way = wayOf(useLocation().pathname.split("/").at(-1));
  // Looked at once: what was begun is forgotten as soon as it is over.
  const { current: started } = useRef(begun());
  const came = arrival();
  if (!way || !came || came.state === "" || came.state !== started?.state) {
    return (
      <Entrance title={t("way_title")} purpose={t("way_ended")}>
        <Back begun={started} />
      </Entrance>
    );
  }
  return <Returning way={way} came={came} started={started} />;
}

function Returning({ way, came, started }: { way: WayName; came: Arrival; started: Begun }) {
  const { t } = useTranslation("identity");
  const provider = t(`way.${way}`);
  const query = useQuery(returnQuery(way, came));
  const navigate = useNavigate();
  const setSession = useSetSession();
  const { message } = useFeedback();
  const done = query.data?.outcome;
  const session = query.data?.session;

  async function enter(opened: Session) {
    forgetBegun();
    setSession(opened);
    if (started.again) message.success(t("again_done"));
    await (opened.must_change_password
      ? navigate({ to: "/password", search: { next: started.next } })
      : navigate({ href: started.next ?? "/", replace: true }));
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is known what became of it
  useEffect(() => {
    if (done === "signed_in" && session) enter(session);
    if (done === "linked") {
      forgetBegun();
      message.success(t("way_linked", { provider }));
      navigate({ href: "/settings", replace: true });
    }
  }, [done]);

  if (done === "unknown" && query.data?.account) {
    return (
      <Entrance title={t("way_account")} purpose={t("way_account_purpose", { provider })}>
        <WayAccountForm way={way} offered={query.data.account} onMade={enter} />
        <p className="entrance-hint">{t("way_account_other", { provider })}</p>
        <Back begun={started} />
      </Entrance>
    );
  }
  return (
    <Entrance title={t("way_title")} purpose={query.error ? "" : t("way_looking", { provider })}>
      {query.error ? (
        <>
          <EntranceProblem problem={problemOf(query.error)} />
          <Back begun={started} />
        </>
      ) : (
        <Loading rows={2} />
      )}
    </Entrance>
  );
}

function Back({ begun: was }: { begun?: Begun }) {
  const { t } = useTranslation("identity");
  const navigate = useNavigate();
  return (
    <div className="entrance-again">
      {was?.again ? (
        <Button type="link" onClick={() => navigate({ href: was.next ?? "/" })}>
          {t("again_back")}
        </Button>
      ) : was?.linking ? (
        <Link to="/settings">{t("to_settings")}</Link>
      ) : (
        <Link to="/sign-in" search={{ next: was?.next }}>
          {t("to_sign_in")}
        </Link>
      )}
    </div>
  );
}
