import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Moment } from "@/elements/time";
import { WayMark } from "./way-mark";
import type { WaysOfUser } from "./ways";
import "./way-list.css";

/** Ways into an account, each with what may be done about it. */
export function WayList({
  ways,
  children,
}: {
  ways: WaysOfUser;
  children: (way: WaysOfUser["ways"][number]) => ReactNode;
}) {
  const { t } = useTranslation("identity");
  return (
    <ul className="ways">
      <li>
        <div>
          <strong>{t("password")}</strong>
          <p>{t(ways.password ? "way_password" : "way_no_password")}</p>
        </div>
      </li>
      {ways.ways.map((way) => (
        <li key={way.way}>
          <WayMark way={way.way} size={20} />
          <div>
            <strong>{t(`way.${way.way}`)}</strong>
            {way.label === null ? (
              <p>{t("way_free")}</p>
            ) : (
              <p>
                {way.label || t("way_nameless")}
                {way.linked_at && (
                  <>
                    {" · "}
                    {t("way_since")} <Moment at={way.linked_at} />
                  </>
                )}
                {!way.offered && <span className="ways-off">{t("way_off")}</span>}
              </p>
            )}
          </div>
          {children(way)}
        </li>
      ))}
    </ul>
  );
}
