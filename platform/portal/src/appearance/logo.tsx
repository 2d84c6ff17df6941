const DOTS = [
  [16, 4, 2.6],
  [22.9, 6.2, 2.2],
  [27.2, 12.1, 2.8],
  [27.2, 19.6, 2],
  [22.9, 25.6, 2.6],
  [16, 28, 2.1],
  [9.1, 25.6, 2.8],
  [4.8, 19.6, 2.2],
  [4.8, 12.1, 2.6],
  [9.1, 6.2, 1.9],
] as const;

/** The mark: a ring of islands around calm water. */
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <circle cx="16" cy="16" r="5" fill="var(--primary)" opacity="0.22" />
      {DOTS.map(([x, y, r]) => (
        <circle key={`${x}-${y}`} cx={x} cy={y} r={r} fill="var(--primary)" />
      ))}
    </svg>
  );
}
