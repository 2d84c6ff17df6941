/** Where the server found a mistake, as forms name their fields: `users.3.name` → `["users", 3, "name"]`. */
export function fieldPath(field: string): (string | number)[] {
  return field.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
