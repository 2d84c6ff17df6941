import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ApiProblem, api, body, withoutQuestions } from "@/api/client";
import { useFailures } from "@/elements/failures";
import { forgetPerson, useSetSession } from "./session";

/** The gateway would wait for an hour, and nothing is asked meanwhile. */
const PATIENCE_MS = 10_000;

async function end(): Promise<void> {
  try {
    await body(api.DELETE("/api/v1/session", { signal: AbortSignal.timeout(PATIENCE_MS) }));
  } catch (error) {
    if (!(error instanceof ApiProblem && error.status === 401)) throw error; // 401: it has ended before
  }
}

/** Ends the session of the person at the screen and leads to the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const { t } = useTranslation("identity");
  const queries = useQueryClient();
  const setSession = useSetSession();
  const navigate = useNavigate();
  const failures = useFailures();

  async function signOut(): Promise<void> {
    try {
      await withoutQuestions(end);
    } catch (error) {
      failures.tell({ key: "session/end", title: t("sign_out_failed"), error, retry: signOut });
      return;
    }
    failures.settle("session/end");
    setSession(null);
    await navigate({ to: "/sign-in", search: {} });
    forgetPerson(queries);
  }
  return signOut;
}
