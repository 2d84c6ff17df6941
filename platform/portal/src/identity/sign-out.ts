import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, body, withoutQuestions } from "@/api/client";
import { useFailures } from "@/elements/failures";
import { useSetSession } from "./session";

/** Ends the session of the person at the screen and leads to the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const { t } = useTranslation("identity");
  const queries = useQueryClient();
  const setSession = useSetSession();
  const navigate = useNavigate();
  const failures = useFailures();

  async function signOut(): Promise<void> {
    try {
      await withoutQuestions(() => body(api.DELETE("/api/v1/session")));
    } catch (error) {
      failures.tell({ key: "session/end", title: t("sign_out_failed"), error, retry: signOut });
      return;
    }
    failures.settle("session/end");
    setSession(null);
    await navigate({ to: "/sign-in", search: {} });
    // Nothing of this person stays for the next one.
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" && queryKey[0] !== "about" });
  }
  return signOut;
}
