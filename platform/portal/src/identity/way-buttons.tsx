import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { type ApiProblem, problemOf } from "@/api/problem";
import { WayMark } from "./way-mark";
import { leaveFor, type WayName } from "./ways";

/** The ways in beside the password that this installation has. */
export function WayButtons({
  ways,
  next,
  onProblem,
}: {
  ways: readonly WayName[];
  next?: string;
  onProblem: (problem: ApiProblem | undefined) => void;
}) {
  const { t } = useTranslation("identity");
  const [busy, setBusy] = useState<WayName>();

  async function begin(way: WayName) {
    setBusy(way);
    onProblem(undefined);
    try {
      const started = await body(api.POST("/api/v1/session/ways/{way}/start", { params: { path: { way } } }));
      leaveFor(started, { next, linking: false });
    } catch (error) {
      onProblem(problemOf(error));
      setBusy(undefined);
    }
  }

  return (
    <fieldset className="entrance-ways" aria-label={t("other_ways")}>
      <div className="entrance-or" aria-hidden>
        {t("or")}
      </div>
      {ways.map((way) => (
        <Button
          key={way}
          block
          size="large"
          icon={<WayMark way={way} />}
          loading={busy === way}
          disabled={busy !== undefined && busy !== way}
          onClick={() => begin(way)}
        >
          {t("sign_in_by", { provider: t(`way.${way}`) })}
        </Button>
      ))}
    </fieldset>
  );
}
