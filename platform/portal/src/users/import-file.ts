import { api, body, type Schemas } from "@/api/client";

export type Imported = Schemas["UsersImport"];
export type ImportLine = Schemas["ImportLine"];

/** As much as a request may hold. The command `./atoll users import` takes more. */
export const MOST_BYTES = 1024 * 1024;

/** The columns of a file, by the names that the server has for them; their words are those of the form. */
export const COLUMNS = ["name", "nickname", "phone", "email", "roles", "groups", "virtual_clusters"] as const;
export type Column = (typeof COLUMNS)[number];

interface How {
  dry_run: boolean;
  skip_existing: boolean;
}

/** What the server makes of the file, or would make of it. Raises ApiProblem; what the browser says of a file that went. */
export async function importFile(file: File, query: How): Promise<Imported> {
  const content = await file.arrayBuffer();
  return body(
    api.POST("/api/v1/users/import", {
      params: { query },
      body: content as never,
      bodySerializer: (bytes) => bytes as never,
      headers: { "Content-Type": "text/csv" },
    }),
  );
}

/** The passwords as a file for spreadsheet programs; neither names nor passwords have anything to be quoted. */
export function passwordFile({ passwords }: Imported, titles: readonly [string, string]): Blob {
  const lines = [titles, ...passwords.map(({ name, password }) => [name, password])];
  return new Blob(["\ufeff", lines.map((cells) => `${cells.join(",")}\r\n`).join("")], {
    type: "text/csv;charset=utf-8",
  });
}
