import type { Schemas } from "@/api/client";

type OpenNetwork = Schemas["OpenNetwork"];
type OpenPorts = Schemas["OpenPorts"];

/** A network and its ports, as they are typed: `443, 8000-8100, 53/udp`. */
export interface EgressFields {
  network: string;
  ports: string;
}

const PORTS = /^(\d{1,5})(?:-(\d{1,5}))?(?:\/(tcp|udp))?$/i;
const HIGHEST = 65_535;

/** What was typed as ports; undefined: it says no ports. */
export function portsOf(text: string): OpenPorts[] | undefined {
  const found: OpenPorts[] = [];
  for (const part of text.split(/[,\s]+/).filter(Boolean)) {
    const [match, first, last, protocol = "tcp"] = PORTS.exec(part) ?? [];
    if (!match) return undefined;
    const [from, to] = [Number(first), last === undefined ? undefined : Number(last)];
    if (from < 1 || (to ?? from) > HIGHEST || (to ?? from) < from) return undefined;
    found.push({
      protocol: protocol.toLowerCase() as OpenPorts["protocol"],
      first: from,
      last: to === from ? null : (to ?? null),
    });
  }
  return found.length > 0 ? found : undefined;
}

/** Ports as people write them. */
export function portsText(ports: readonly OpenPorts[]): string {
  return ports
    .map(({ protocol, first, last }) => {
      const range = last === null || last === undefined || last === first ? String(first) : `${first}-${last}`;
      return protocol === "udp" ? `${range}/udp` : range;
    })
    .join(", ");
}

export function egressFields(egress: readonly OpenNetwork[]): EgressFields[] {
  return egress.map(({ network, ports }) => ({ network, ports: portsText(ports) }));
}

/** Rows in which nothing was typed are none; the rules of the fields let no other mistake through. */
export function egressOf(fields: readonly EgressFields[]): OpenNetwork[] {
  return fields
    .filter((each) => each?.network?.trim())
    .map(({ network, ports }) => ({ network: network.trim(), ports: portsOf(ports ?? "") ?? [] }));
}
