import { useTranslation } from "react-i18next";
import { Choice } from "@/people/choice";
import { ACTORS } from "./query";

/** Who did it, found by a few letters; also who has no account any more, or never had one. */
export default function ActorFilter({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (actor: string | undefined) => void;
}) {
  const { t } = useTranslation("audit");
  return (
    <Choice
      className="people-choice"
      source={ACTORS}
      value={value}
      placeholder={t("actor_filter")}
      aria-label={t("actor_filter")}
      onChange={onChange}
    />
  );
}
