import { describe, expect, test } from "vitest";
import { LogBuffer, Matches, MISTAKES, patternOf, plain, width } from "@/tasks/log/buffer";

function fed(...pieces: string[]): LogBuffer {
  const buffer = new LogBuffer();
  for (const piece of pieces) buffer.append(piece);
  return buffer;
}

describe("the buffer of a log", () => {
  test("pieces may end anywhere, also inside a line", () => {
    expect(fed("one\ntw", "o\nthr", "ee").lines).toEqual(["one", "two", "three"]);
    expect(fed("one\n", "\n", "two\n").lines).toEqual(["one", "", "two"]);
    expect(fed("a", "b", "c\n").lines).toEqual(["abc"]);
  });

  test("a progress bar shows its last state, and Windows line ends are no carriage returns", () => {
    expect(fed("10%\r", "50%\r", "100%\n").lines).toEqual(["100%"]);
    expect(fed("one\r\ntwo\r\n").lines).toEqual(["one", "two"]);
    expect(fed("one\r", "\ntwo\r\r\n", "\r", "\n").lines).toEqual(["one", "two", ""]);
    expect(fed("10%\r20%").lines).toEqual(["20%"]);
    expect(fed("10%\r", "\r").lines).toEqual(["10%"]);
  });

  test("a progress bar that never ends its line keeps its last state only", () => {
    const buffer = new LogBuffer();
    const before = performance.now();
    for (let step = 0; step < 100_000; step += 1) buffer.append(`step ${step} ${"#".repeat(80)}\r`);
    expect(buffer.lines).toEqual([`step 99999 ${"#".repeat(80)}`]);
    expect(Object.values(buffer).filter((value) => typeof value === "string" && value.length > 200)).toEqual([]);
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  test("only a whole line is settled", () => {
    const buffer = fed("one\ntwo");
    expect(buffer.settled).toBe(1);
    buffer.append("\n");
    expect(buffer.settled).toBe(2);
  });

  test("escape sequences take no room, wide characters take two columns", () => {
    expect(plain("\u001b[1;31mred\u001b[0m \u001b]0;title\u0007end")).toBe("red end");
    expect(width("训练 ok")).toBe(7);
    expect(fed("\u001b[32mgreen\u001b[0m\n").longest).toBe(5);
  });

  test("a search finds each line once while the log grows", () => {
    const buffer = fed("loss 1\naccuracy 2\nlo");
    const hits = new Matches(patternOf("LOSS"));
    hits.scan(buffer);
    expect(hits.at).toEqual([0]);
    buffer.append("ss 3\n");
    hits.scan(buffer);
    hits.scan(buffer);
    expect(hits.at).toEqual([0, 2]);
    expect([hits.after(-1), hits.after(0), hits.after(2), hits.before(2), hits.before(0)]).toEqual([0, 2, 0, 0, 2]);
  });

  test("what a person types is searched as it stands", () => {
    expect(patternOf("a.b(c").test("a.b(c)")).toBe(true);
    expect(patternOf("a.b").test("axb")).toBe(false);
  });

  test("mistakes are found as programs write them", () => {
    const lines = ["Traceback (most recent call last):", "ValueError: no", "[ERROR] x", "no terror", "errors: 0"];
    expect(lines.map((line) => MISTAKES.test(line))).toEqual([true, true, true, false, false]);
  });

  test("a million lines come in within seconds", () => {
    const buffer = new LogBuffer();
    const piece = `${Array.from({ length: 1000 }, (_, index) => `step ${index} loss 0.123`).join("\n")}\n`;
    const before = performance.now();
    for (let index = 0; index < 1000; index += 1) buffer.append(piece);
    expect(buffer.lines.length).toBe(1_000_000);
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});
