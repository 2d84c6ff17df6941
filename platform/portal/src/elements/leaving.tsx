import { useBlocker } from "@tanstack/react-router";
import { lazy, Suspense } from "react";

const QuestionDialog = lazy(() => import("./question"));

export interface LeavingWords {
  title: string;
  content: string;
  /** Leave all the same. */
  leave: string;
  stay: string;
}

/** Asks before a person leaves a page with something typed and not sent; in the way from the first letter on. */
export function Leaving({ unsaved, words }: { unsaved: () => boolean; words: LeavingWords }) {
  const blocker = useBlocker({ shouldBlockFn: unsaved, enableBeforeUnload: unsaved, withResolver: true });
  if (blocker.status !== "blocked") return null;
  return (
    <Suspense>
      <QuestionDialog
        title={words.title}
        content={words.content}
        okText={words.leave}
        cancelText={words.stay}
        danger
        onOk={blocker.proceed}
        onClose={(confirmed) => !confirmed && blocker.reset()}
      />
    </Suspense>
  );
}
