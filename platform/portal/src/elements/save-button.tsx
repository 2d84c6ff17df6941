import { Button, Tooltip } from "antd";
import { Download } from "lucide-react";
import { useState } from "react";
import { saveAs } from "./download";
import { useFailures } from "./failures";
import { useFeedback } from "./feedback";

/** Fetches a file that only a request can get, and hands it to the browser. `name` gets the day: `audit-2026-03-04.csv`. */
export function SaveButton({
  action,
  name,
  fetch,
  words,
  means,
  done,
  failed,
}: {
  /** Which action a failure is told of. */
  action: string;
  name: string;
  /** Raises ApiProblem. */
  fetch: () => Promise<Blob>;
  words: string;
  means: string;
  done: string;
  failed: string;
}) {
  const { message } = useFeedback();
  const failures = useFailures();
  const [busy, setBusy] = useState(false);

  async function save() {
    setBusy(true);
    failures.settle(action);
    try {
      saveAs(await fetch(), `${name}-${new Date().toISOString().slice(0, 10)}.csv`);
      message.success(done);
    } catch (error) {
      failures.tell({ key: action, title: failed, error, retry: save });
    } finally {
      setBusy(false);
    }
  }

  return (
    <Tooltip title={means}>
      <Button icon={<Download size={15} aria-hidden />} loading={busy} onClick={save}>
        {words}
      </Button>
    </Tooltip>
  );
}
