import { afterEach, describe, expect, test } from "vitest";
import { bytes, number, quantity } from "@/formats/amounts";
import { ago, asLocal, clock, day, duration, exact, fromLocal, secondsBetween, stamp } from "@/formats/moments";
import { setTimeZone } from "@/formats/zone";

afterEach(() => setTimeZone(null));

describe("amounts", () => {
  test("bytes count by 1024 and say so", () => {
    expect([0, 512, 1024, 1536, 39_446, 80 * 2 ** 30, 123.4 * 2 ** 20].map(bytes)).toEqual([
      "0 B",
      "512 B",
      "1 KiB",
      "1.5 KiB",
      "38.5 KiB",
      "80 GiB",
      "123 MiB",
    ]);
  });

  test("a quantity is read as Kubernetes reads it, and nothing else is one", () => {
    expect(["2", "500m", "400Mi", "1.5Gi", "1G"].map(quantity)).toEqual([2, 0.5, 400 * 2 ** 20, 1.5 * 2 ** 30, 1e9]);
    expect(["", "2 cores", "-1", "1Gi ", "Gi", "1e3"].map(quantity)).toEqual([null, null, null, null, null, null]);
  });

  test("numbers keep what a reader compares", () => {
    expect([0, 0.9694, 0.071323, 12.3456, 12345.6, 3e-7, 2.5e9].map(number)).toEqual([
      "0",
      "0.9694",
      "0.07132",
      "12.35",
      "12346",
      "3.00e-7",
      "2.50e+9",
    ]);
  });
});

describe("moments", () => {
  const now = Date.parse("2026-01-01T12:00:00Z");

  test("relative time is in the reader's language", () => {
    expect(ago("2026-01-01T11:57:00Z", now, "en")).toBe("3 min. ago");
    expect(ago("2026-01-01T11:57:00Z", now, "zh-CN")).toBe("3分钟前");
    expect(ago("2026-01-01T11:59:57Z", now, "en")).toBe("now");
    expect(ago("2025-12-30T12:00:00Z", now, "en")).toBe("2 days ago");
  });

  test("a moment is told in the time zone that was chosen", () => {
    setTimeZone("Asia/Shanghai");
    expect(exact("2026-01-01T20:00:00Z", "en")).toMatch(/Jan 2, 2026.*4:00:00.AM/);
    expect(clock("2026-01-01T20:00:00Z", "zh-CN")).toBe("04:00:00");
    expect(stamp("2026-01-01T20:00:00Z", "en")).toMatch(/^Jan 2, 2026, 4:00:00.AM$/);
    expect(day(Date.parse("2026-01-01T20:00:00Z"), "en")).toBe("January 2, 2026");
    setTimeZone("UTC");
    expect(clock("2026-01-01T20:00:00Z", "zh-CN")).toBe("20:00:00");
    expect(clock(Date.parse("2026-01-01T20:00:00Z"), "zh-CN")).toBe("20:00:00");
  });

  test("a duration has its two largest parts", () => {
    expect([0, 0.473, 2.94, 59, 60, 93.4, 3600, 3725, 90_000].map(duration)).toEqual([
      "0s",
      "473ms",
      "2.9s",
      "59s",
      "1m",
      "1m 33s",
      "1h",
      "1h 2m",
      "1d 1h",
    ]);
  });

  test("what has no end lasts until now, and clocks that differ never give less than nothing", () => {
    expect(secondsBetween("2026-01-01T11:59:00Z", null, now)).toBe(60);
    expect(secondsBetween("2026-01-01T12:00:05Z", null, now)).toBe(0);
  });
});

describe("a moment that is typed", () => {
  test("is in the reader's zone, there and back", () => {
    const at = new Date(2026, 2, 4, 9, 30).toISOString();
    expect(asLocal(at)).toBe("2026-03-04T09:30");
    expect(fromLocal("2026-03-04T09:30")).toBe(at);
    expect(asLocal(undefined)).toBe("");
    expect(fromLocal("")).toBeUndefined();
    expect(fromLocal("nonsense")).toBeUndefined();
  });

  test.each([
    ["Asia/Tokyo", "2026-03-04T09:30", "2026-03-04T00:30:00.000Z"],
    ["Asia/Kathmandu", "2026-03-04T00:15", "2026-03-03T18:30:00.000Z"],
    // Where clocks go forward in that night, and back in that.
    ["America/New_York", "2026-03-08T01:59", "2026-03-08T06:59:00.000Z"],
    ["America/New_York", "2026-03-08T03:00", "2026-03-08T07:00:00.000Z"],
    ["America/New_York", "2026-11-01T00:30", "2026-11-01T04:30:00.000Z"],
    ["America/New_York", "2026-11-01T02:00", "2026-11-01T07:00:00.000Z"],
  ])("is in %s where that is the zone of the reader: %s", (zone, typed, at) => {
    setTimeZone(zone);
    expect(fromLocal(typed)).toBe(at);
    expect(asLocal(at)).toBe(typed);
  });
});
