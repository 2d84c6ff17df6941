import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import type { LogBuffer } from "./buffer";
import { isMistake, Line } from "./line";

const LINE_PX = 18;
const OVERSCAN = 30;

export interface LogViewHandle {
  show: (line: number) => void;
}

interface LogViewProps {
  buffer: LogBuffer;
  version: number;
  wrap: boolean;
  following: boolean;
  onFollow: (following: boolean) => void;
  pattern: RegExp | undefined;
  current: number | undefined;
  label: string;
  handle: RefObject<LogViewHandle | null>;
}

/** Only the lines in sight are drawn, so that a million of them scroll. */
export function LogView(props: LogViewProps) {
  return props.wrap ? <Wrapped {...props} /> : <Unwrapped {...props} />;
}

function useFollow({ version, following, onFollow }: LogViewProps) {
  const scroller = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines move the view, nothing else does
  useLayoutEffect(() => {
    const element = scroller.current;
    if (following && element) element.scrollTop = element.scrollHeight;
  }, [version, following]);
  const last = useRef(0);
  function onScroll() {
    const element = scroller.current;
    if (!element) return;
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < LINE_PX * 1.5;
    // Only a person scrolls up; growing content never does.
    if (element.scrollTop < last.current - 2 && !atEnd) onFollow(false);
    else if (atEnd && !following) onFollow(true);
    last.current = element.scrollTop;
  }
  return { scroller, onScroll };
}

/** Every line has the same height, so where a line lies is plain arithmetic. */
function Unwrapped(props: LogViewProps) {
  const { buffer, handle, label } = props;
  const { scroller, onScroll } = useFollow(props);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const { lines } = buffer;

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  useImperativeHandle(handle, () => ({
    show: (line) => scroller.current?.scrollTo({ top: line * LINE_PX - height / 2 }),
  }));

  const first = Math.max(0, Math.floor(top / LINE_PX) - OVERSCAN);
  const last = Math.min(lines.length, Math.ceil((top + height) / LINE_PX) + OVERSCAN);
  return (
    <div
      ref={scroller}
      className="log-lines"
      role="log"
      aria-label={label}
      aria-live="off"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={() => {
        setTop(scroller.current?.scrollTop ?? 0);
        onScroll();
      }}
    >
      <div
        className="log-canvas"
        style={{ height: lines.length * LINE_PX, minWidth: `calc(${buffer.longest}ch + 88px)` }}
      >
        <div className="log-window" style={{ transform: `translateY(${first * LINE_PX}px)` }}>
          {lines.slice(first, last).map((text, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the number of a line is its identity
            <Row key={first + index} line={first + index} text={text} {...props} />
          ))}
        </div>
      </div>
    </div>
  );
}

/** Long lines break; heights are measured as they come into sight. */
function Wrapped(props: LogViewProps) {
  const { buffer, handle, label } = props;
  const { scroller, onScroll } = useFollow(props);
  const virtual = useVirtualizer({
    count: buffer.lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: OVERSCAN,
  });
  useImperativeHandle(handle, () => ({ show: (line) => virtual.scrollToIndex(line, { align: "center" }) }));
  const items = virtual.getVirtualItems();
  return (
    <div
      ref={scroller}
      className="log-lines log-wrapped"
      role="log"
      aria-label={label}
      aria-live="off"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={onScroll}
    >
      <div className="log-canvas" style={{ height: virtual.getTotalSize() }}>
        <div className="log-window" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
          {items.map((item) => (
            <div key={item.key} data-index={item.index} ref={virtual.measureElement}>
              <Row line={item.index} text={buffer.lines[item.index] ?? ""} {...props} />
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function Row({ line, text, pattern, current }: { line: number; text: string } & LogViewProps) {
  return (
    <div className={`log-line ${line === current ? "log-current" : ""} ${isMistake(text) ? "log-mistake" : ""}`}>
      <span className="log-number" aria-hidden>
        {line + 1}
      </span>
      <span className="log-text">
        <Line text={text} pattern={pattern} />
      </span>
    </div>
  );
}
