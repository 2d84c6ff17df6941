import { useTranslation } from "react-i18next";

/**
 * A key that is wrong, in each kind of namespace: the one of everybody, the server's codes, a feature's own, and several
 * at once. tsc reads this and is red where one is no mistake any more: then all keys have become any text.
 */
export function useWrongKeys(): string[] {
  const everybody = useTranslation().t;
  const codes = useTranslation("codes").t;
  const feature = useTranslation("training").t;
  const several = useTranslation(["overview", "tasks"]).t;
  return [
    // @ts-expect-error there is no such word
    everybody("no_such_word"),
    // @ts-expect-error there is no such code
    codes("reason.no_such_code"),
    // @ts-expect-error there is no such word
    feature("no_such_word"),
    // @ts-expect-error there is no such word of the other feature
    several("tasks:no_such_word"),
  ];
}
