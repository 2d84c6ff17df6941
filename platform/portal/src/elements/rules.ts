import type { Rule } from "antd/es/form";
import { useTranslation } from "react-i18next";

/** What the server asks of a text, as `rules.gen.ts` has it. */
export interface FieldRules {
  required?: boolean;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
}

/** Words of a form where those of everybody say too little. */
type Own = Partial<Record<"required" | "pattern", string>>;

/** The server's rules for a field, told while one types, in the reader's language. */
export function useFieldRules(): (given: FieldRules, own?: Own) => Rule[] {
  const { t } = useTranslation();
  return ({ required, pattern, minLength = 0, maxLength }, own = {}) => {
    const found: Rule[] = [];
    // Of a text that may be short, blanks alone are none; a password is what it is.
    if (required) {
      found.push({ required: true, whitespace: minLength <= 1, message: own.required ?? t("rules.required") });
    }
    if (maxLength !== undefined) found.push({ max: maxLength, message: t("rules.max_length", { count: maxLength }) });
    // A text that must not be empty says so already; what has a pattern says by it how short it may be.
    if (minLength > 1 && !pattern) found.push({ min: minLength, message: t("rules.min_length", { count: minLength }) });
    if (pattern) found.push({ pattern: new RegExp(pattern), message: own.pattern ?? t("rules.pattern") });
    return found;
  };
}

/** What the server asks of a number. */
export interface NumberRules {
  required?: boolean;
  minimum: number;
  maximum: number;
}

/** The same for whole numbers; an empty field is a mistake only where it is needed. */
export function useNumberRules(): (given: NumberRules) => Rule[] {
  const { t } = useTranslation();
  return ({ required = false, minimum, maximum }) => [
    {
      required,
      validator: (_, value: number | null | undefined) => {
        if (value === null || value === undefined) {
          return required ? Promise.reject(new Error(t("rules.required"))) : Promise.resolve();
        }
        const fits = Number.isInteger(value) && value >= minimum && value <= maximum;
        return fits ? Promise.resolve() : Promise.reject(new Error(t("rules.range", { from: minimum, to: maximum })));
      },
    },
  ];
}
