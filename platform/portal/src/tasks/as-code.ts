/** A text in single quotes for a POSIX shell. */
function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command as one would type it. */
export function commandText(command: string[]): string {
  return command.map((part) => (/^[\w./:=@%+-]+$/.test(part) ? part : shell(part))).join(" ");
}

/** A value as Python writes it; JSON differs only in its three words. */
function python(value: unknown, indent = 0): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const inner = " ".repeat(indent + 4);
  const parts = Array.isArray(value)
    ? value.map((each) => python(each, indent + 4))
    : Object.entries(value as object).map(([key, each]) => `${JSON.stringify(key)}: ${python(each, indent + 4)}`);
  if (parts.length === 0) return `${open}${close}`;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${" ".repeat(indent)}${close}`;
}

/** Where the programs below have their token from: what stands in a command line is seen by all on the machine. */
const TOKEN = "# ATOLL_TOKEN: an access token of yours, made in the portal: your name, then Account";

/** The request as curl sends it. */
export function asCurl(origin: string, path: string, request: object): string {
  return [
    TOKEN,
    "# add --cacert FILE if the certificate is your own",
    `printf 'Authorization: Bearer %s' "$ATOLL_TOKEN" |`,
    "  curl -fsS -H @- -H 'Content-Type: application/json' \\",
    `  ${origin}/api/v1${path} \\`,
    `  --data ${shell(JSON.stringify(request, null, 2))}`,
  ].join("\n");
}

/** The same in Python with requests. */
export function asPython(origin: string, path: string, request: object): string {
  return [
    "import os",
    "",
    "import requests",
    "",
    `API = ${JSON.stringify(`${origin}/api/v1`)}`,
    "with requests.Session() as http:",
    `    ${TOKEN}`,
    '    http.headers["Authorization"] = f"Bearer {os.environ[\'ATOLL_TOKEN\']}"',
    '    # http.verify = "ca.crt"  # where the certificate is your own',
    `    task = ${python(request, 4)}`,
    `    answer = http.post(f"{API}${path}", json=task)`,
    "    answer.raise_for_status()",
    '    print(answer.json()["id"])',
  ].join("\n");
}
