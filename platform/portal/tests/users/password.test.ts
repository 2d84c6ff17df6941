import { describe, expect, test } from "vitest";
import { ALPHABET, holdsName, LENGTH, proposedPassword } from "@/users/password";

describe("a proposed password", () => {
  const many = Array.from({ length: 2_000 }, () => proposedPassword("ada"));

  test("has more than 90 bits, each of them drawn anew", () => {
    expect(LENGTH * Math.log2(ALPHABET.length)).toBeGreaterThan(90);
    expect(many.every((each) => each.length === LENGTH)).toBe(true);
    expect(new Set(many).size).toBe(many.length);
  });

  test("has small letters, capitals and digits, and none that is taken for another", () => {
    expect(new Set(ALPHABET).size).toBe(ALPHABET.length);
    expect(ALPHABET).toMatch(/^[a-zA-Z0-9]+$/);
    expect(ALPHABET).not.toMatch(/[0O1lI]/);
    for (const each of many) {
      expect([...each].every((character) => ALPHABET.includes(character))).toBe(true);
      expect(
        [/[a-z]/, /[A-Z]/, /[0-9]/].every((kind) => kind.test(each)),
        each,
      ).toBe(true);
    }
  });

  test("draws every character as often as every other", () => {
    const counts = new Map<string, number>();
    for (const character of many.join("")) counts.set(character, (counts.get(character) ?? 0) + 1);
    const mean = (many.length * LENGTH) / ALPHABET.length; // 571, six sigma of which are 143; digits stand in each, so they come a little more often
    expect(counts.size).toBe(ALPHABET.length);
    for (const [character, count] of counts) expect(Math.abs(count - mean), character).toBeLessThan(0.25 * mean + 60);
  });

  test("leaves out bytes that would make some characters likelier", () => {
    const whole = ALPHABET.length * Math.floor(256 / ALPHABET.length);
    let at = 0;
    const bytes = [255, whole, 0, whole - 1, 25, 48]; // two that are left out, then a, 9, A, 2
    const text = proposedPassword("zz", (drawn) => {
      for (let index = 0; index < drawn.length; index += 1) drawn[index] = bytes[at++ % bytes.length] as number;
    });
    expect(text).toBe(
      "a9" +
        ALPHABET[25] +
        ALPHABET[48] +
        "a9" +
        ALPHABET[25] +
        ALPHABET[48] +
        "a9" +
        ALPHABET[25] +
        ALPHABET[48] +
        "a9" +
        ALPHABET[25] +
        ALPHABET[48],
    );
  });

  test("does not hold the name of the account, whatever its case", () => {
    expect(holdsName("xxADAxx", "ada")).toBe(true);
    expect(holdsName("xxadxx", "ada")).toBe(false);
    expect(holdsName("anything", "")).toBe(false);
    // Two letters stand in one of five or so by chance.
    for (let times = 0; times < 2_000; times += 1) expect(proposedPassword("ab").toLowerCase()).not.toContain("ab");
  });

  test("is drawn again until it has all kinds of characters", () => {
    let draws = 0;
    const text = proposedPassword("zz", (bytes) => {
      draws += 1;
      bytes.fill(0); // small letters only
      if (draws > 1) bytes.set([25, 48]);
    });
    expect(draws).toBe(2);
    expect(text).toMatch(/^[A-Z][2-9]a+$/);
  });
});
