import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "antd";
import { KeySquare, Plus } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { Panel } from "@/elements/page";
import { Answer, Empty } from "@/elements/states";
import { TokenTable, useEndToken } from "@/people/access-tokens";
import { tokensQuery } from "./queries";

// Most people look and make none.
const NewTokenDialog = lazy(() => import("./new-token-dialog"));
const TokenOnce = lazy(() => import("./token-once"));

/** What was given to programs; each is listed without itself, which was shown when it was made. */
export function Tokens() {
  const { t } = useTranslation("account");
  const query = useQuery(tokensQuery);
  const queries = useQueryClient();
  const opener = useRef<HTMLButtonElement>(null);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<Schemas["NewAccessToken"]>();
  const reread = () => queries.invalidateQueries({ queryKey: tokensQuery.queryKey });
  const end = useEndToken(reread);
  const make = (
    <Button ref={opener} size="small" icon={<Plus size={14} aria-hidden />} onClick={() => setMaking(true)}>
      {t("new_token")}
    </Button>
  );
  return (
    <Panel title={t("tokens")} className="flush" extra={make}>
      <p className="account-hint">{t("tokens_mean")}</p>
      <Answer query={query} rows={3}>
        {({ items }) =>
          items.length > 0 ? (
            <TokenTable tokens={items} end={end} />
          ) : (
            <Empty icon={KeySquare} title={t("no_tokens")}>
              <p>{t("no_tokens_why")}</p>
            </Empty>
          )
        }
      </Answer>
      <Suspense>
        {making && (
          <NewTokenDialog
            onMade={setMade}
            onClose={(saved) => {
              setMaking(false);
              if (saved) reread();
            }}
          />
        )}
        {made && <TokenOnce made={made} opener={opener} onClose={() => setMade(undefined)} />}
      </Suspense>
    </Panel>
  );
}
