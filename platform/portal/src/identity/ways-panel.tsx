import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "antd";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useFailures } from "@/elements/failures";
import { useFeedback } from "@/elements/feedback";
import { Answer } from "@/elements/states";
import { WayList } from "./way-list";
import { type WayName, waysQuery } from "./ways";

const LinkDialog = lazy(() => import("./link-dialog"));

/** By which ways the person at the screen signs in, and could. */
export function WaysPanel() {
  const { t } = useTranslation("identity");
  const query = useQuery(waysQuery);
  const queries = useQueryClient();
  const failures = useFailures();
  const { ask, message } = useFeedback();
  const [linking, setLinking] = useState<WayName>();

  async function end(way: WayName) {
    const provider = t(`way.${way}`);
    const key = `ways/${way}`;
    try {
      await body(api.DELETE("/api/v1/session/ways/{way}", { params: { path: { way } } }));
      failures.settle(key);
      message.success(t("way_unlinked", { provider }));
    } catch (error) {
      failures.tell({ key, title: t("way_unlink_failed", { provider }), error, retry: () => end(way) });
    } finally {
      queries.invalidateQueries({ queryKey: waysQuery.queryKey });
    }
  }

  function askToEnd(way: WayName) {
    const provider = t(`way.${way}`);
    ask({
      title: t("way_unlink_question", { provider }),
      content: t("way_unlink_means", { provider }),
      okText: t("way_unlink"),
      danger: true,
      onOk: () => end(way),
    });
  }

  return (
    <Answer query={query} rows={2}>
      {(found) => (
        <>
          <WayList ways={found}>
            {({ way, label, offered }) =>
              label !== null ? (
                <Button onClick={() => askToEnd(way)}>{t("way_unlink")}</Button>
              ) : (
                offered && found.linkable && <Button onClick={() => setLinking(way)}>{t("way_link")}</Button>
              )
            }
          </WayList>
          {!found.linkable && <p className="quiet">{t("way_protected")}</p>}
          {linking && (
            <Suspense>
              <LinkDialog way={linking} onClose={() => setLinking(undefined)} />
            </Suspense>
          )}
        </>
      )}
    </Answer>
  );
}
