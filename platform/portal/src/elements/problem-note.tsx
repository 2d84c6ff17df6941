import { CircleAlert } from "lucide-react";
import { problemOf } from "@/api/problem";
import { useProblemWords } from "@/words/told";
import { ProblemLines } from "./failures";
import "./problem-note.css";

/** Why a form was refused, in the form itself: what lies behind a dialog is out of reach. */
export function ProblemNote({ error }: { error: unknown }) {
  const problem = problemOf(error);
  const words = useProblemWords(problem);
  return (
    <div className="problem-note" role="alert">
      <CircleAlert size={15} aria-hidden />
      <div className="failure-text">
        <strong>{words.title}</strong>
        <ProblemLines problem={problem} />
      </div>
    </div>
  );
}
