import { message as messages, notification as notifications } from "antd";
import { createContext, lazy, type ReactNode, Suspense, use, useMemo, useState } from "react";
import type { Question } from "./question";

// Nobody asks while a page loads.
const QuestionDialog = lazy(() => import("./question"));

interface Feedback {
  message: ReturnType<typeof messages.useMessage>[0];
  notification: ReturnType<typeof notifications.useNotification>[0];
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

export function FeedbackProvider({ children }: { children: ReactNode }) {
  const [message, messageHolder] = messages.useMessage();
  const [notification, notificationHolder] = notifications.useNotification({ placement: "bottomRight" });
  const [question, ask] = useState<Question>();
  const feedback = useMemo(() => ({ message, notification, ask }), [message, notification]);
  return (
    <FeedbackContext value={feedback}>
      {children}
      {messageHolder}
      {notificationHolder}
      {question && (
        <Suspense>
          <QuestionDialog {...question} onClose={() => ask(undefined)} />
        </Suspense>
      )}
    </FeedbackContext>
  );
}
