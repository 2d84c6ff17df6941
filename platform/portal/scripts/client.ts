/**
 * Makes the typed client's contract from openapi.json:
 * - src/api/schema.gen.ts: types of every operation (openapi-typescript),
 * - src/api/rules.gen.ts: the rules of what the portal's forms send, so that a form never has a second copy of them.
 * With --check nothing is written; it fails when a committed file differs from a fresh one.
 */
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";

const ROOT = new URL("..", import.meta.url);
const HEADER = "// Made from openapi.json by `npm run client`; edits are lost.\n\n";
/** Schemas that forms of the portal send. */
const FORMS = [
  "TrainingCreate",
  "Parameter",
  "SignIn",
  "PasswordChange",
  "Registration",
  "WayRegistration",
  "UsersCreate",
  "NewUser",
  "UserUpdate",
  "GroupCreate",
  "RoleCreate",
  "VirtualClusterCreate",
  "VirtualClusterExtend",
  "OpenNetwork",
  "SettingsChange",
  "AccessTokenCreate",
] as const;
const RULES = ["pattern", "minLength", "maxLength", "minimum", "maximum", "maxItems"] as const;

interface Schema extends Record<string, unknown> {
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
}

function rulesOf(schema: Schema): Record<string, Record<string, unknown>> {
  const found: Record<string, Record<string, unknown>> = {};
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    // An optional field is `anyOf: [what it is, null]`; a map has the rules of its values.
    const said = { ...property, ...(property.anyOf?.find((each) => each.type !== "null") ?? {}) };
    const values = typeof said.additionalProperties === "object" ? said.additionalProperties : {};
    const merged: Schema = { ...said, ...values };
    const rules: Record<string, unknown> = { required: schema.required?.includes(field) ?? false };
    for (const name of RULES) if (merged[name] !== undefined) rules[name] = merged[name];
    found[field] = rules;
  }
  return found;
}

async function generate(): Promise<Record<string, string>> {
  const contract = JSON.parse(await readFile(new URL("openapi.json", ROOT), "utf8")) as OpenAPI3;
  const types = astToString(await openapiTS(contract, { alphabetize: true, defaultNonNullable: false }));
  const schemas = (contract.components?.schemas ?? {}) as Record<string, Schema>;
  const rules = Object.fromEntries(FORMS.map((name) => [name, rulesOf(schemas[name] ?? {})]));
  return {
    "src/api/schema.gen.ts": HEADER + types,
    "src/api/rules.gen.ts": `${HEADER}export const RULES = ${JSON.stringify(rules, null, 2)} as const;\n`,
  };
}

const check = process.argv.includes("--check");
for (const [path, fresh] of Object.entries(await generate())) {
  const file = new URL(path, ROOT);
  if (!check) {
    await writeFile(file, fresh);
    continue;
  }
  const committed = await readFile(file, "utf8").catch(() => "");
  if (committed !== fresh) {
    process.stderr.write(
      `${path} differs from what openapi.json makes of it.\n  Run \`npm run client\` and commit it.\n`,
    );
    process.exitCode = 1;
  }
}
