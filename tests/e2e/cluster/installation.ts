/** Which portal is tested and who signs in: from the environment, as the test runner sets it. */
import { createHash, type X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { parse, stringify } from "yaml";

interface Account {
  user: string;
  password: string;
}

/** An ordinary person, who does what people do here, and an administrator for what only those may see. */
interface Credentials extends Account {
  administrator: Account;
  url?: string;
}

export type Who = "user" | "administrator";

function needed(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(
      `${name} is not set.\n  Run the suite with \`./atoll test e2e\`, or set ATOLL_CREDENTIALS (a YAML file with user, password, administrator: {user, password}, url).`,
    );
  }
  return value;
}

function known(): Credentials {
  return parse(readFileSync(needed("ATOLL_CREDENTIALS"), "utf8")) as Credentials;
}

export function credentials(who: Who = "user"): Account {
  return who === "user" ? known() : known().administrator;
}

/** Later runs sign in with the password that the first sign-in demanded. */
export function keepPassword(who: Who, password: string): void {
  const before = known();
  const after =
    who === "user" ? { ...before, password } : { ...before, administrator: { ...before.administrator, password } };
  writeFileSync(needed("ATOLL_CREDENTIALS"), stringify(after), { mode: 0o600 });
}

export const url = (process.env.ATOLL_URL ?? known().url ?? needed("ATOLL_URL")).replace(/\/$/, "");

const scratch = join(tmpdir(), `atoll-e2e-${createHash("sha256").update(url).digest("hex").slice(0, 8)}`);
mkdirSync(scratch, { recursive: true, mode: 0o700 });
export const output = join(scratch, "results");
export const sessions: Record<Who, string> = {
  user: join(scratch, "session.json"),
  administrator: join(scratch, "session-of-administrator.json"),
};

/**
 * Chromium has no option for another root. So the portal's certificate is checked here against the cluster's root, and
 * Chromium then accepts exactly the key of that certificate; nothing else is waved through.
 */
export async function trust(): Promise<string[]> {
  const file = process.env.ATOLL_CA;
  const { protocol, hostname, port } = new URL(url);
  if (!file || protocol !== "https:") return [];
  const certificate = await new Promise<X509Certificate>((resolve, reject) => {
    const name = isIP(hostname) ? {} : { servername: hostname };
    const socket = connect({ host: hostname, port: Number(port || 443), ca: readFileSync(file), ...name }, () => {
      const shown = socket.getPeerX509Certificate();
      socket.end();
      if (shown) resolve(shown);
      else reject(new Error(`${url} showed no certificate`));
    });
    socket.once("error", (error) => reject(new Error(`${url} is not trusted by ${file}: ${error.message}`)));
  });
  const key = certificate.publicKey.export({ type: "spki", format: "der" });
  return [`--ignore-certificate-errors-spki-list=${createHash("sha256").update(key).digest("base64")}`];
}
