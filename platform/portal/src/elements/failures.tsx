import { Button } from "antd";
import { RotateCw } from "lucide-react";
import { useTranslation } from "react-i18next";
import { type ApiProblem, maySucceedLater, problemOf } from "@/api/problem";
import { useProblemWords } from "@/words/told";
import { useFeedback } from "./feedback";
import "./states.css";

interface Failure {
  /** Which action failed; it failing again replaces what was said. */
  key: string;
  /** What was to be done and was not. */
  title: string;
  error: unknown;
  /** Does it again; offered where that may help. */
  retry: () => void;
}

/** Says that what a person asked for did not work. It stays until it is dismissed, tried again, or done after all. */
export function useFailures(): { tell: (failure: Failure) => void; settle: (key: string) => void } {
  const { t } = useTranslation();
  const { notification } = useFeedback();
  return {
    settle: (key) => notification.destroy(key),
    tell: ({ key, title, error, retry }) => {
      const problem = problemOf(error);
      notification.error({
        key,
        title,
        description: <ProblemText problem={problem} />,
        duration: 0,
        actions: maySucceedLater(problem) && (
          <Button
            size="small"
            icon={<RotateCw size={14} aria-hidden />}
            onClick={() => {
              notification.destroy(key);
              retry();
            }}
          >
            {t("states.retry")}
          </Button>
        ),
      });
    },
  };
}

function ProblemText({ problem }: { problem: ApiProblem }) {
  const words = useProblemWords(problem);
  return (
    <div className="failure-text">
      <p>{words.title}</p>
      <ProblemLines problem={problem} />
    </div>
  );
}

/** What is known of a problem beside its title: the server's words, what to do, and the codes to ask with. */
export function ProblemLines({ problem }: { problem: ApiProblem }) {
  const { t } = useTranslation();
  const words = useProblemWords(problem);
  return (
    <>
      {words.detail && <p>{words.detail}</p>}
      {words.remedy && <p>{words.remedy}</p>}
      <p className="notice-code">
        <code>{problem.code}</code>
        {problem.requestId && <code>{t("states.request", { id: problem.requestId })}</code>}
      </p>
    </>
  );
}
