import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { refreshMs } from "@/api/refresh";
import { Panel } from "@/elements/page";
import { useMay } from "@/identity/session";
import { TokenTable, useEndToken } from "@/people/access-tokens";
import { PEOPLE, userTokensQuery } from "@/people/queries";

/** What this user gave to programs; nothing where there is none. Who manages users may end them. */
export default function UserTokens({ id }: { id: string }) {
  const { t } = useTranslation("users");
  const { data } = useQuery({ ...userTokensQuery(id), refetchInterval: refreshMs });
  const queries = useQueryClient();
  const may = useMay();
  const end = useEndToken(() => queries.invalidateQueries({ queryKey: PEOPLE }), id);
  if (!data || data.items.length === 0) return null;
  return (
    <Panel title={t("access_tokens")} className="flush">
      <TokenTable tokens={data.items} end={may("users:manage") ? end : undefined} />
    </Panel>
  );
}
