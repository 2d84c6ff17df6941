/** Amounts as people read them. Ki, Mi and Gi count by 1024 everywhere, as in Kubernetes. */

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** `1536` → `1.5 KiB`. */
export function bytes(amount: number): string {
  let value = amount;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || Math.abs(value) >= 100 ? 0 : 1;
  return `${Number(value.toFixed(digits))} ${UNITS[unit]}`;
}

const FACTORS: Record<string, number> = {
  "": 1,
  m: 0.001,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** The cores or bytes of a quantity as Kubernetes writes it (`500m`, `80Gi`), or null when it is none. */
export function quantity(text: string): number | null {
  const match = /^(\d{1,15}(?:\.\d{1,9})?)(m|[KMGT]i|[kMGT])?$/.exec(text);
  if (!match) return null;
  return Number(match[1]) * (FACTORS[match[2] ?? ""] ?? 1);
}

/** At most three significant digits after the leading ones: `0.98312` → `0.983`, `12345.6` → `12346`. */
export function number(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  if (size >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(4)));
}
