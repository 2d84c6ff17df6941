import { describe, expect, test } from "vitest";
import { egressFields, egressOf, portsOf, portsText } from "@/virtual-cluster-management/egress";
import { editRequest, fieldsOf, givesLess } from "@/virtual-cluster-management/form";
import { cluster } from "./support";

describe("ports as they are typed", () => {
  test("are single ones and ranges, of TCP unless it is said", () => {
    expect(portsOf("443")).toEqual([{ protocol: "tcp", first: 443, last: null }]);
    expect(portsOf(" 443, 8000-8100 53/udp,1-65535/TCP ")).toEqual([
      { protocol: "tcp", first: 443, last: null },
      { protocol: "tcp", first: 8000, last: 8100 },
      { protocol: "udp", first: 53, last: null },
      { protocol: "tcp", first: 1, last: 65535 },
    ]);
    expect(portsOf("80-80")).toEqual([{ protocol: "tcp", first: 80, last: null }]);
  });

  test.each(["", " ", ",", "http", "0", "65536", "1-65536", "90-80", "80-", "80/icmp", "80,x", "-80", "080000"])(
    "that are none (%s) are told",
    (text) => {
      expect(portsOf(text)).toBeUndefined();
    },
  );

  test("are written as they are typed", () => {
    for (const text of ["443", "443, 8000-8100, 53/udp"]) expect(portsText(portsOf(text) ?? [])).toBe(text);
    expect(portsText([{ protocol: "tcp", first: 443, last: 443 }])).toBe("443");
  });
});

const OPENED = [{ network: "203.0.113.0/24", ports: [{ protocol: "tcp" as const, first: 443, last: 443 }] }];

describe("networks of a virtual cluster", () => {
  test("come from what it has, and go back as what was typed; an empty row is none", () => {
    expect(egressFields(OPENED)).toEqual([{ network: "203.0.113.0/24", ports: "443" }]);
    expect(
      egressOf([
        { network: " 10.0.0.0/8 ", ports: "53/udp" },
        { network: "", ports: "443" },
      ]),
    ).toEqual([{ network: "10.0.0.0/8", ports: [{ protocol: "udp", first: 53, last: null }] }]);
    const fields = fieldsOf([], cluster({ egress: OPENED, pod_security: "baseline" }));
    expect(editRequest(fields, cluster())).toMatchObject({
      pod_security: "baseline",
      egress: [{ network: "203.0.113.0/24", ports: [{ protocol: "tcp", first: 443, last: null }] }],
    });
  });

  test("are closed at any time; a stricter level is less", () => {
    const before = cluster({ egress: OPENED, pod_security: "baseline" });
    const fields = fieldsOf(["huawei_npu_arm64"], before);
    expect(givesLess(fields, before)).toBe(false);
    expect(givesLess({ ...fields, egress: [] }, before)).toBe(false);
    expect(givesLess({ ...fields, pod_security: "restricted" }, before)).toBe(true);
    expect(givesLess(fieldsOf(["huawei_npu_arm64"], cluster()), cluster())).toBe(false);
  });
});
