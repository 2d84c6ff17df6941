/** The lines of a log as they come in: in pieces that may end anywhere, with carriage returns that overwrite. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the escape sequences of terminals
const ESCAPES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** A line without its escape sequences. */
export function plain(line: string): string {
  return line.includes("\u001b") ? line.replace(ESCAPES, "") : line;
}

export class LogBuffer {
  readonly lines: string[] = [];
  /** Characters of the longest line, wide ones counted twice; the width of the scrolled area. */
  longest = 0;
  private open = "";

  /** Take the next piece. */
  append(text: string): void {
    const parts = (this.open + text).split("\n");
    if (this.open !== "") this.lines.pop(); // it was shown unfinished
    const rest = parts.pop() ?? "";
    for (const part of parts) this.push(visible(part));
    // A progress bar may go on for days without a line end: what it has overwritten is not kept. Whether a carriage return
    // at the end overwrites, or begins a line end, the next piece tells.
    const shown = visible(rest);
    this.open = rest.endsWith("\r") ? `${shown}\r` : shown;
    if (this.open !== "") this.push(shown);
  }

  /** How many lines are complete and will not change any more. */
  get settled(): number {
    return this.lines.length - (this.open === "" ? 0 : 1);
  }

  private push(line: string): void {
    this.lines.push(line);
    if (line.length * 2 > this.longest) this.longest = Math.max(this.longest, width(plain(line)));
  }
}

/** What a terminal shows of a line: what stands before the last carriage return was overwritten (progress bars). */
function visible(raw: string): string {
  let end = raw.length;
  while (end > 0 && raw[end - 1] === "\r") end -= 1;
  return raw.slice(end > 0 ? raw.lastIndexOf("\r", end - 1) + 1 : 0, end);
}

/** Columns of a text in a fixed-width font; East Asian characters take two. */
export function width(text: string): number {
  let columns = 0;
  for (const character of text) columns += (character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1;
  return columns;
}

/** Lines that fit a pattern, found once each while the log grows. */
export class Matches {
  readonly at: number[] = [];
  private scanned = 0;
  private readonly pattern: RegExp;

  constructor(pattern: RegExp) {
    this.pattern = pattern;
  }

  /** Look at the lines that have come since the last look; an unfinished one is looked at again when it is whole. */
  scan(buffer: LogBuffer): void {
    const { lines } = buffer;
    for (; this.scanned < buffer.settled; this.scanned += 1) {
      if (this.pattern.test(plain(lines[this.scanned] ?? ""))) this.at.push(this.scanned);
    }
  }

  /** The first found line after `line`, from the start again when there is none. */
  after(line: number): number | undefined {
    return this.at.find((each) => each > line) ?? this.at[0];
  }

  before(line: number): number | undefined {
    return this.at.findLast((each) => each < line) ?? this.at.at(-1);
  }
}

/** What a person types into the search, as a pattern for exactly that. */
export function patternOf(words: string): RegExp {
  return new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
}

/** Lines worth a jump. In these spellings only: `ValueError` is a mistake, `terror` is none. */
export const MISTAKES =
  /\b(?:[Ee]rror|ERROR|[Ee]xception|EXCEPTION|Traceback|[Ff]atal|FATAL|[Cc]ritical|CRITICAL|Killed|[Oo]ut of memory)\b|[a-z](?:Error|Exception)\b/;
