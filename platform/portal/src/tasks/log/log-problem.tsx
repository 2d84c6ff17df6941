import { useQuery } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import { Answer, Loading } from "@/elements/states";

const AGAIN_MS = 10_000;

/** Why a log cannot be had. Its stream does not tell; the same question without following does. */
export function LogProblem({ task, rank, attempt }: { task: string; rank: number; attempt: number | undefined }) {
  const query = useQuery({
    queryKey: ["tasks", "log-problem", task, rank, attempt],
    queryFn: async ({ signal }) => {
      const params = { path: { task_id: task }, query: { rank, attempt, follow: false } };
      const content = await body(api.GET("/api/v1/tasks/{task_id}/log", { params, parseAs: "stream", signal }));
      await content?.cancel(); // it can be had: the stream will be there in a moment
      return true;
    },
    retry: false,
    gcTime: 0,
    refetchInterval: AGAIN_MS,
  });
  return <Answer query={query}>{() => <Loading />}</Answer>;
}
