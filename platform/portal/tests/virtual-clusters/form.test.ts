import { describe, expect, test } from "vitest";
import {
  createRequest,
  editRequest,
  type FormFields,
  fieldsOf,
  givesLess,
  outlook,
  typesOf,
} from "@/virtual-cluster-management/form";
import { called, searchOf } from "@/virtual-cluster-management/search";
import { capacity, cluster } from "./support";

const NPU = "huawei_npu_arm64";
const GPU = "nvidia_gpu_amd64";
const CAPACITY = [capacity(NPU, { total: 8, given: 6, away: 1 }), capacity(GPU, { total: 4, given: 0 })];
const VISION = cluster({
  devices: [{ type: NPU, total: 4, used: 1, free: 3 }],
  max_devices_per_user: { [NPU]: 2 },
  max_hours: 48,
});

function edited(part: Partial<FormFields>, of = VISION): FormFields {
  return { ...fieldsOf([NPU, GPU], of), ...part };
}

describe("what the form starts with", () => {
  test("has every type of the cluster, and one that only the virtual cluster still has", () => {
    expect(typesOf(CAPACITY)).toEqual([NPU, GPU]);
    expect(typesOf([capacity(GPU)], VISION)).toEqual([NPU, GPU]);
  });

  test("grants nothing and limits nothing for a new one", () => {
    expect(fieldsOf([NPU])).toEqual({
      name: "",
      devices: { [NPU]: 0 },
      max_devices_per_user: { [NPU]: null },
      limited: false,
      max_hours: 24,
      borrows: false,
      pod_security: "restricted",
      egress: [],
    });
  });

  test("is what a virtual cluster has; a limit that is none is an empty field", () => {
    expect(edited({})).toEqual({
      name: "vision",
      devices: { [NPU]: 4, [GPU]: 0 },
      max_devices_per_user: { [NPU]: 2, [GPU]: null },
      limited: true,
      max_hours: 48,
      borrows: false,
      pod_security: "restricted",
      egress: [],
    });
    expect(fieldsOf([NPU], { ...VISION, max_devices_per_user: { [NPU]: 4 } }).max_devices_per_user).toEqual({
      [NPU]: null,
    });
    expect(fieldsOf([NPU], { ...VISION, max_hours: null }).limited).toBe(false);
    expect(fieldsOf([NPU], { ...VISION, borrows: true }).borrows).toBe(true);
  });
});

describe("the request", () => {
  test("names types with devices alone, and all of them where no limit is typed", () => {
    const fields = { ...fieldsOf([NPU, GPU]), name: "vision", devices: { [NPU]: 3, [GPU]: null } };
    expect(createRequest({ ...fields, max_devices_per_user: { [NPU]: null, [GPU]: 7 } })).toEqual({
      name: "vision",
      devices: { [NPU]: 3 },
      max_devices_per_user: { [NPU]: 3 },
      max_hours: null,
      borrows: false,
      pod_security: "restricted",
      egress: [],
    });
    expect(createRequest({ ...fields, borrows: true }).borrows).toBe(true);
    expect(createRequest({ ...fields, max_devices_per_user: { [NPU]: 0 }, limited: true, max_hours: 5 })).toMatchObject(
      {
        max_devices_per_user: { [NPU]: 0 },
        max_hours: 5,
      },
    );
  });

  test("of an edit tells what is meant of every type, and no name", () => {
    expect(editRequest(edited({ devices: { [NPU]: 6, [GPU]: 1 } }), VISION)).toEqual({
      devices: { [NPU]: 6, [GPU]: 1 },
      max_devices_per_user: { [NPU]: 2, [GPU]: 1 },
      max_hours: 48,
      borrows: false,
      pod_security: "restricted",
      egress: [],
    });
  });

  test("of an edit leaves a type alone that was there without devices", () => {
    const none = {
      ...VISION,
      devices: [{ type: NPU, total: 0, used: 0, free: 0 }],
      max_devices_per_user: { [NPU]: 0 },
    };
    expect(editRequest(edited({}, cluster(none)), none).devices).toEqual({ [NPU]: 0 });
    expect(editRequest(edited({ devices: { [NPU]: 0, [GPU]: 0 } }), VISION).devices).toEqual({});
  });
});

describe("an edit gives less", () => {
  test.each([
    ["with fewer devices", { devices: { [NPU]: 3 } }],
    ["without devices", { devices: { [NPU]: 0 } }],
    ["with fewer per user", { max_devices_per_user: { [NPU]: 1 } }],
    ["with fewer hours", { max_hours: 47 }],
  ])("%s", (_, part) => expect(givesLess(edited(part), VISION)).toBe(true));

  test("with a limit where there was none", () => {
    const endless = { ...VISION, max_hours: null };
    expect(givesLess(edited({ limited: true }, endless as never), endless)).toBe(true);
    expect(givesLess(edited({}, endless as never), endless)).toBe(false);
  });

  test("without the idle devices of others that it had", () => {
    const borrowing = { ...VISION, borrows: true };
    expect(givesLess(edited({ borrows: false }, borrowing as never), borrowing)).toBe(true);
    expect(givesLess(edited({}, borrowing as never), borrowing)).toBe(false);
  });

  test.each([
    ["with the same", {}],
    ["with idle devices of others", { borrows: true }],
    ["with more devices", { devices: { [NPU]: 5, [GPU]: 1 } }],
    ["with more per user", { max_devices_per_user: { [NPU]: 3 } }],
    ["with more hours", { max_hours: 49 }],
    ["with no limit any more", { limited: false }],
  ])("but not %s", (_, part) => expect(givesLess(edited(part), VISION)).toBe(false));
});

describe("what is left", () => {
  test("counts what is there and up, and what others were granted", () => {
    expect(outlook(CAPACITY, fieldsOf([NPU, GPU]))).toEqual([
      { type: NPU, there: 7, granted: 6, left: 1, over: 0 },
      { type: GPU, there: 4, granted: 0, left: 4, over: 0 },
    ]);
    expect(outlook(CAPACITY, { ...fieldsOf([NPU, GPU]), devices: { [NPU]: 3, [GPU]: 4 } })).toEqual([
      { type: NPU, there: 7, granted: 9, left: 0, over: 2 },
      { type: GPU, there: 4, granted: 4, left: 0, over: 0 },
    ]);
  });

  test("counts what the edited one has only once", () => {
    expect(outlook(CAPACITY, edited({ devices: { [NPU]: 5, [GPU]: null } }), VISION)[0]).toEqual({
      type: NPU,
      there: 7,
      granted: 7,
      left: 0,
      over: 0,
    });
  });

  test("of a type that the cluster no longer has is nothing", () => {
    expect(outlook([], edited({}), VISION)).toEqual([{ type: NPU, there: 0, granted: 4, left: 0, over: 4 }]);
  });
});

describe("words", () => {
  test("find names however they are written", () => {
    const all = [{ name: "vision" }, { name: "speech" }];
    expect(called(all, " VIS ")).toEqual([{ name: "vision" }]);
    expect(called(all)).toEqual(all);
  });

  test("of an address are a text that is not too long, or none", () => {
    expect(searchOf({ words: "vis" })).toEqual({ words: "vis" });
    expect(searchOf({ words: "" })).toEqual({ words: undefined });
    expect(searchOf({ words: 3 })).toEqual({ words: undefined });
    expect(searchOf({ words: "a".repeat(200) }).words).toHaveLength(128);
  });
});
