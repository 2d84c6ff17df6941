import Anser from "anser";
import type { ReactNode } from "react";
import { MISTAKES, plain } from "./buffer";

/** The pieces of a line with their colours; search hits are marked. */
export function Line({ text, pattern }: { text: string; pattern: RegExp | undefined }) {
  if (!text.includes("\u001b")) return marked(text, pattern);
  return Anser.ansiToJson(text, { use_classes: true, remove_empty: true, json: true }).map((piece, index) => (
    <span
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other identity
      key={index}
      className={[piece.fg, piece.bg && `${piece.bg}-bg`, ...(piece.decorations ?? [])].filter(Boolean).join(" ")}
    >
      {marked(plain(piece.content), pattern)}
    </span>
  ));
}

export function isMistake(text: string): boolean {
  return MISTAKES.test(plain(text));
}

function marked(text: string, pattern: RegExp | undefined): ReactNode {
  if (!pattern) return text;
  const pieces: ReactNode[] = [];
  let rest = text;
  for (let found = pattern.exec(rest); found && found[0] !== ""; found = pattern.exec(rest)) {
    pieces.push(rest.slice(0, found.index), <mark key={pieces.length}>{found[0]}</mark>);
    rest = rest.slice(found.index + found[0].length);
  }
  return pieces.length > 0 ? [...pieces, rest] : text;
}
