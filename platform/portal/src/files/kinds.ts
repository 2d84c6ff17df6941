const TEXT = /\.(txt|log|md|csv|tsv|json|jsonl|ya?ml|toml|ini|cfg|py|sh|xml|html|svg)$/i;
const PICTURE = /\.(png|jpe?g|gif|webp|bmp)$/i;

/** How a file can be looked at without taking it away; null: not at all. */
export function previewOf(name: string): "text" | "picture" | null {
  if (TEXT.test(name)) return "text";
  return PICTURE.test(name) ? "picture" : null;
}
