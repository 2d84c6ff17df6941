import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useFailures } from "@/elements/failures";
import { useFeedback } from "@/elements/feedback";
import { Panel } from "@/elements/page";
import { Answer } from "@/elements/states";
import { aboutQuery } from "@/identity/about";
import { useMay } from "@/identity/session";
import { WayList } from "@/identity/way-list";
import type { WayName } from "@/identity/ways";
import { type Account, PEOPLE } from "@/people/queries";

const waysOf = (id: string) =>
  queryOptions({
    queryKey: [...PEOPLE, "users", "ways", id],
    queryFn: () => body(api.GET("/api/v1/users/{user_id}/ways", { params: { path: { user_id: id } } })),
  });

/** By which ways a user signs in, where there are several; who manages users may end each. */
export function UserWays({ account }: { account: Account }) {
  const { t } = useTranslation(["users", "identity"]);
  const about = useQuery(aboutQuery);
  const query = useQuery(waysOf(account.id));
  const queries = useQueryClient();
  const failures = useFailures();
  const { ask, message } = useFeedback();
  const may = useMay();
  // A way that is set up no more may still be linked.
  const several = (about.data?.ways_in.length ?? 0) > 0 || (query.data?.ways.length ?? 0) > 0;
  if (!several) return null;

  async function end(way: WayName) {
    const words = { name: account.name, provider: t(`identity:way.${way}`) };
    const key = `users/${account.id}/ways/${way}`;
    try {
      const params = { path: { user_id: account.id, way } };
      await body(api.DELETE("/api/v1/users/{user_id}/ways/{way}", { params }));
      failures.settle(key);
      message.success(t("done_unlink", words));
    } catch (error) {
      failures.tell({ key, title: t("failed_unlink", words), error, retry: () => end(way) });
    } finally {
      // Sessions and access tokens may have ended with it.
      queries.invalidateQueries({ queryKey: PEOPLE });
    }
  }

  function askToEnd(way: WayName) {
    const words = { name: account.name, provider: t(`identity:way.${way}`) };
    ask({
      title: t("unlink_question", words),
      content: t("unlink_means", words),
      okText: t("identity:way_unlink"),
      danger: true,
      onOk: () => end(way),
    });
  }

  return (
    <Panel title={t("ways")}>
      <Answer query={query} rows={2}>
        {(found) => (
          <WayList ways={found}>
            {({ way, label }) =>
              label !== null &&
              may("users:manage") && <Button onClick={() => askToEnd(way)}>{t("identity:way_unlink")}</Button>
            }
          </WayList>
        )}
      </Answer>
    </Panel>
  );
}
