/** A platform of its own for each worker: `./atoll dev` with its own folder, port and database, and its administrator. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext } from "@playwright/test";
import { test as base, enter, expect, type Person } from "../portal.ts";

export interface Stack {
  url: string;
  admin: Person;
  /** Who the tests are, unless they sign in themselves. */
  session: Awaited<ReturnType<BrowserContext["storageState"]>>;
  /** Somebody who has never signed in; a member of the virtual cluster with the role User, unless told otherwise. */
  newcomer: (otherwise?: { roles?: string[]; virtual_clusters?: string[] }) => Promise<Person>;
}

const TREE = join(import.meta.dirname, "..", "..", "..");
/** The first start on a machine builds the portal. */
const START_MS = 600_000;
const END_MS = 20_000;
/** What it says is for people: log lines of its parts belong into their files. */
const LOG_LINE = /^.*(?:alembic|\[info|"event":).*$/gim;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** Servers of ours by which people sign in to the portal at `url` (tests/providers); what it is to be told lies in `folder`. */
async function providers(python: string, url: string, folder: string): Promise<ChildProcess> {
  const started = spawn(python, ["-m", "tests.providers", url, folder], {
    cwd: TREE,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise<void>((resolve, reject) => {
    started.stdout.once("data", () => resolve());
    started.once("close", (code) => reject(new Error(`tests.providers ended with exit code ${code}`)));
  });
  return started;
}

/** Run `./atoll dev` around `work`; ends it as Ctrl-C does, which has to take seconds. */
async function withDev(others: boolean, work: (url: string, state: string) => Promise<void>): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), "atoll-dev-"));
  const port = await freePort();
  const python = process.env.ATOLL_TEST_PYTHON ?? join(TREE, ".venv", "bin", "python");
  const served = others ? await providers(python, `http://127.0.0.1:${port}`, state) : undefined;
  const more = served ? ["--ways-in", join(state, "ways_in.yaml")] : [];
  const dev = spawn(
    python,
    ["-m", "installer", "dev", "--port", String(port), "--state", join(state, "state"), ...more],
    { cwd: TREE, stdio: ["ignore", "pipe", "pipe"] },
  );
  let told = "";
  const ended = new Promise<number | null>((resolve) => dev.once("close", resolve));
  try {
    await new Promise<void>((resolve, reject) => {
      const hear = (data: Buffer) => {
        told += data.toString();
        if (told.includes("Ctrl-C ends it.")) resolve();
      };
      dev.stdout.on("data", hear);
      dev.stderr.on("data", hear);
      ended.then((code) => reject(new Error(`./atoll dev ended with exit code ${code}:\n${told}`)));
    });
    await work(`http://127.0.0.1:${port}`, join(state, "state"));
  } finally {
    const began = Date.now();
    dev.kill("SIGINT");
    const code = await ended;
    served?.kill();
    rmSync(state, { recursive: true, force: true });
    const quick = Date.now() - began < END_MS;
    expect({ code, quick, logLines: told.match(LOG_LINE) }, told).toEqual({ code: 0, quick: true, logLines: null });
  }
}

export const test = base.extend<object, { stack: Stack; others: boolean }>({
  /** Whether people may sign in by others: a stack with that is one of its own. */
  others: [false, { option: true, scope: "worker" }],
  stack: [
    async ({ browser, others }, use) => {
      await withDev(others, async (url, state) => {
        const first = readFileSync(join(state, "secrets", "admin_password"), "utf8");
        const admin = { user: "admin", password: randomBytes(18).toString("base64url") };
        // By the pages, for the browser remembers more than a cookie.
        const context = await browser.newContext({ baseURL: url });
        const page = await context.newPage();
        await enter(page, { user: admin.user, password: first }, admin.password);
        const headers = { "X-Atoll-Request": "1", Origin: url };
        let made = 0;
        await use({
          url,
          admin,
          session: await context.storageState(),
          newcomer: async (otherwise = {}) => {
            made += 1;
            const person = { user: `person${made}`, password: randomBytes(12).toString("base64url") };
            const body = {
              name: person.user,
              nickname: `Person ${made}`,
              password: person.password,
              roles: ["user"],
              virtual_clusters: ["default"],
              ...otherwise,
            };
            const answer = await context.request.post("/api/v1/users", { headers, data: body });
            expect(answer.ok(), await answer.text()).toBe(true);
            return person;
          },
        });
        await context.close();
      });
    },
    { scope: "worker", timeout: START_MS },
  ],
  baseURL: async ({ stack }, use) => use(stack.url),
  storageState: async ({ stack }, use) => use(stack.session),
});

/** Nobody is signed in. */
export const NOBODY = { cookies: [], origins: [] };
export { expect };
