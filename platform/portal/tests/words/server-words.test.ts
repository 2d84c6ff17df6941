import { describe, expect, test } from "vitest";
import { wholeWords, wordsOf } from "@/words/told";
import { speaking } from "../support/words";

describe("what the server tells by a code", () => {
  test("is said in the reader's language, with as much as is told", async () => {
    const i18n = await speaking("en");
    const all = { needed: 4, free: 1, total: 8, virtual_cluster: "default" };
    const says = (params: Record<string, unknown>) =>
      wordsOf(i18n, "reason.devices_in_use", { message: "The server's words.", params });
    expect(says(all)).toBe("It needs 4 devices, 1 of 8 are free in default.");
    expect(says({ resource: "GPU", more: "2" })).toBe("All others are in use; still missing: 2 GPU.");
    expect(says({})).toBe("The server's words.");
    const chinese = await speaking("zh-CN");
    const memory = { message: "", params: { resource: "memory", more: "3Gi" } };
    expect(wordsOf(chinese, "reason.capacity_in_use", memory)).toBe("其余均已占用，仍缺：3Gi 内存。");
  });

  test("keeps what only the server's words say", async () => {
    const why = "0/3 nodes are available: 3 node(s) had untolerated taint.";
    const message = `No node takes it at the moment: ${why}`;
    expect(wordsOf(await speaking("zh-CN"), "reason.not_scheduled", { message, params: { why } })).toBe(
      `目前没有节点可以运行它：${why}`,
    );
    expect(wordsOf(await speaking("en"), "reason.new_in_the_next_version", { message })).toBe(message);
  });

  test("what is told without the other part's words says so much", async () => {
    const i18n = await speaking("zh-CN");
    const says = (params: Record<string, unknown>) =>
      wordsOf(i18n, "reason.evicted", { message: "The node had to end it.", params });
    expect(says({ why: "low on memory" })).toBe("节点不得不终止它：low on memory");
    expect(says({})).toBe("节点不得不终止它。");
  });

  test("what is wrong with a request as a whole is said with its number, what a field shows is not", async () => {
    const errors = [
      { field: "", code: "unfinished_tasks", message: "", params: { limit: 100 } },
      { field: "parameters", code: "program_text_too_long", message: "", params: { size: 70000, limit: 65536 } },
    ];
    expect(wholeWords(await speaking("en"), errors)).toBe("At most 100 of one user's tasks may wait or run at a time.");
    expect(wholeWords(await speaking("zh-CN"), errors)).toBe("每个用户同时等待或运行的任务最多 100 个。");
  });
});
