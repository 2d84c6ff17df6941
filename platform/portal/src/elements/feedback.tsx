import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Notices } from "./notices";
import type { Question } from "./question";

// Nobody asks while a page loads, and nothing has become of anything.
const QuestionDialog = lazy(() => import("./question"));
const NoticesHolder = lazy(() => import("./notices"));

type Notice = Parameters<Notices["notification"]["error"]>[0];

interface Feedback {
  message: Record<"success" | "warning", (text: string) => void>;
  notification: Record<"success" | "warning" | "error", (notice: Notice) => void> & { destroy: (key?: string) => void };
  /** Asks before something is done that cannot be undone. */
  ask: (question: Question) => void;
}

const FeedbackContext = createContext<Feedback | null>(null);

/** How an action tells a person what became of it, and asks before. */
export function useFeedback(): Feedback {
  const feedback = use(FeedbackContext);
  if (!feedback) throw new Error("useFeedback outside of FeedbackProvider");
  return feedback;
}

/** True once the page has been shown: what it may need then is fetched before it is needed, also to tell a broken network. */
function useShown(): boolean {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const soon = setTimeout(() => setShown(true), 500);
    return () => clearTimeout(soon);
  }, []);
  return shown;
}

export function FeedbackProvider({ children }: { children: ReactNode }) {
  const there = useRef<Notices>(null);
  const waiting = useRef<((notices: Notices) => void)[]>([]);
  const [wanted, setWanted] = useState(false);
  const shown = useShown();
  const [question, ask] = useState<Question>();
  const ready = useCallback((notices: Notices) => {
    there.current = notices;
    for (const say of waiting.current.splice(0)) say(notices);
  }, []);
  const feedback = useMemo<Feedback>(() => {
    function tell(say: (notices: Notices) => void) {
      if (there.current) return say(there.current);
      waiting.current.push(say);
      setWanted(true);
    }
    return {
      message: {
        success: (text) => tell(({ message }) => message.success(text)),
        warning: (text) => tell(({ message }) => message.warning(text)),
      },
      notification: {
        success: (notice) => tell(({ notification }) => notification.success(notice)),
        warning: (notice) => tell(({ notification }) => notification.warning(notice)),
        error: (notice) => tell(({ notification }) => notification.error(notice)),
        destroy: (key) => {
          // Where nothing is told yet there is nothing to take away.
          if (there.current || waiting.current.length > 0) tell(({ notification }) => notification.destroy(key));
        },
      },
      ask,
    };
  }, []);
  return (
    <FeedbackContext value={feedback}>
      {children}
      {(wanted || shown) && (
        <Suspense>
          <NoticesHolder onReady={ready} />
        </Suspense>
      )}
      {question && (
        <Suspense>
          <QuestionDialog {...question} onClose={() => ask(undefined)} />
        </Suspense>
      )}
    </FeedbackContext>
  );
}
