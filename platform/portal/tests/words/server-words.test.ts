import { describe, expect, test } from "vitest";
import { ApiProblem } from "@/api/problem";
import { problemWords, wordsOf } from "@/words/told";
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
    expect(wordsOf(chinese, "reason.capacity_in_use", memory)).toBe("可用份额已被您或他人占用，仍缺：3Gi 内存。");
  });

  test("keeps what only the server's words say", async () => {
    const why = "0/3 nodes are available: 3 node(s) had untolerated taint.";
    const message = `No node takes it at the moment: ${why}`;
    expect(wordsOf(await speaking("zh-CN"), "reason.not_scheduled", { message, params: { why } })).toBe(
      `目前没有节点可以运行它：${why}`,
    );
    expect(wordsOf(await speaking("en"), "reason.new_in_the_next_version", { message })).toBe(message);
  });

  test("names what another part refused in the reader's language, too", async () => {
    const chinese = await speaking("zh-CN");
    const message = "It could not be done: `a.zip` exists already.";
    const says = (cause: string, cause_params: object) =>
      wordsOf(chinese, "reason.operation_refused", { message, params: { why: "It is odd.", cause, cause_params } });
    expect(says("file_exists", { path: "a.zip" })).toBe("无法完成：a.zip 已存在。");
    expect(says("storage_full", {})).toBe("无法完成：您的存储空间已满");
    expect(says("new_in_the_next_version", {})).toBe("无法完成：It is odd.");
  });

  test("what is told without the other part's words says so much", async () => {
    const i18n = await speaking("zh-CN");
    const says = (params: Record<string, unknown>) =>
      wordsOf(i18n, "reason.evicted", { message: "The node had to end it.", params });
    expect(says({ why: "low on memory" })).toBe("节点不得不终止它：low on memory");
    expect(says({})).toBe("节点不得不终止它。");
  });
});

describe("what the server refuses", () => {
  const refusal = (code: string, params: Record<string, unknown>, more: object = {}) =>
    new ApiProblem({ code, status: 409, detail: "The server's words.", remedy: "Its remedy.", params, ...more });

  test("is said in the reader's language with its numbers and names", async () => {
    const chinese = await speaking("zh-CN");
    expect(problemWords(chinese, refusal("too_many_operations", { limit: 20 }))).toEqual({
      title: "等待中的操作过多",
      detail: "您已有 20 个操作在等待或运行。",
      remedy: "请等待其中一些结束，或取消一些。",
    });
    expect(problemWords(chinese, refusal("too_many_attempts", { minutes: 15 })).remedy).toBe("请等待 15 分钟后再试。");
    const english = problemWords(await speaking("en"), refusal("name_taken", { name: "ada" }));
    expect(english).toEqual({
      title: "This name is taken",
      detail: "The name `ada` is taken.",
      remedy: "Choose another name.",
    });
  });

  test("tells the limit that a request as a whole is over", async () => {
    const errors = [{ field: "", code: "unfinished_tasks", message: "", params: { limit: 100 } }];
    const too_many = refusal("too_many_tasks", { limit: 100 }, { errors });
    expect(problemWords(await speaking("en"), too_many).detail).toBe("100 of your tasks wait or run already.");
    expect(problemWords(await speaking("zh-CN"), too_many).detail).toBe("您已有 100 个任务在等待或运行。");
    const too_long = [{ field: "", code: "program_text_too_long", message: "", params: { size: 70000, limit: 65536 } }];
    const said = problemWords(await speaking("zh-CN"), refusal("invalid_request", {}, { errors: too_long }));
    expect(said.detail).toMatch(/70000.*65536/);
  });

  test("names each mistake where the request has several", async () => {
    const errors = [
      { field: "nodes", code: "too_few_nodes", message: "", params: { least: 2 } },
      { field: "image", code: "new_in_the_next_version", message: "It is odd.", params: {} },
    ];
    const said = problemWords(await speaking("zh-CN"), refusal("invalid_request", {}, { errors }));
    expect(said).toEqual({
      title: "请求有误",
      detail: "分布式训练至少需要 2 个节点。 It is odd.",
      remedy: "请按提示修改后重试。",
    });
  });

  test("keeps the server's words where a parameter is not told or the code is not known", async () => {
    const chinese = await speaking("zh-CN");
    expect(problemWords(chinese, refusal("name_taken", {})).detail).toBe("The server's words.");
    expect(problemWords(chinese, refusal("new_in_the_next_version", {}))).toEqual({
      title: "操作失败（new_in_the_next_version）",
      detail: "The server's words.",
      remedy: "Its remedy.",
    });
  });

  test("says nothing more where the title says it all, and what never reached it is said by the portal", async () => {
    const chinese = await speaking("zh-CN");
    expect(problemWords(chinese, refusal("storage_full", {})).detail).toBe("");
    const away = problemWords(chinese, new ApiProblem({ code: "unreachable", status: 0, detail: "Failed to fetch" }));
    expect(away).toMatchObject({ detail: "", title: expect.stringMatching(/\p{Script=Han}/u) });
  });
});
