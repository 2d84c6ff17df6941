import { CircleAlert } from "lucide-react";
import type { ApiProblem } from "@/api/problem";
import { useProblemWords } from "@/words/told";

export function EntranceProblem({ problem }: { problem: ApiProblem }) {
  const words = useProblemWords(problem);
  return (
    <div className="entrance-problem" role="alert">
      <CircleAlert size={14} aria-hidden />
      <span>
        {words.title} {words.remedy}
      </span>
    </div>
  );
}
