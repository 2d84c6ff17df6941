import { Button } from "antd";
import { useTranslation } from "react-i18next";

/** Says that a directory has more than is shown, and fetches it. */
export function MoreEntries({
  shown,
  query,
}: {
  shown: number;
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}) {
  const { t } = useTranslation(["files", "common"]);
  if (!query.hasNextPage) return null;
  return (
    <p className="files-more quiet">
      <span className="tabular">{t("more", { count: shown })}</span>
      <Button size="small" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
        {t("common:actions.more")}
      </Button>
    </p>
  );
}
