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

/** The request as curl sends it; the password comes from the environment and never stands in a command line. */
export function asCurl(origin: string, user: string, path: string, request: object): string {
  const common = `-H 'X-Atoll-Request: 1' -H 'Content-Type: application/json'`;
  return [
    "# ATOLL_PASSWORD: your password · add --cacert FILE if the certificate is your own",
    `jq -n --arg user ${shell(user)} '{name: $user, password: env.ATOLL_PASSWORD}' |`,
    `  curl -fsS -c atoll.cookies ${common} \\`,
    `    --data @- ${origin}/api/v1/session`,
    `curl -fsS -b atoll.cookies ${common} \\`,
    `  ${origin}/api/v1${path} \\`,
    `  --data ${shell(JSON.stringify(request, null, 2))}`,
  ].join("\n");
}

/** The same in Python with requests. */
export function asPython(origin: string, user: string, path: string, request: object): string {
  return [
    "import os",
    "",
    "import requests",
    "",
    `API = ${JSON.stringify(`${origin}/api/v1`)}`,
    "with requests.Session() as http:",
    '    http.headers["X-Atoll-Request"] = "1"',
    '    # http.verify = "ca.crt"  # where the certificate is your own',
    `    who = {"name": ${JSON.stringify(user)}, "password": os.environ["ATOLL_PASSWORD"]}`,
    '    http.post(f"{API}/session", json=who).raise_for_status()',
    `    task = ${python(request, 4)}`,
    `    answer = http.post(f"{API}${path}", json=task)`,
    "    answer.raise_for_status()",
    '    print(answer.json()["id"])',
  ].join("\n");
}
