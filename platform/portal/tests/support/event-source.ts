/** Stands in for the browser's; a test breaks and feeds it. */
export class FakeSource {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  static made: FakeSource[] = [];
  static get newest(): FakeSource {
    return FakeSource.made.at(-1) as FakeSource;
  }

  readonly address: string;
  readyState = FakeSource.CONNECTING;
  onopen?: () => void;
  onerror?: () => void;
  private readonly listeners = new Map<string, (event: unknown) => void>();

  constructor(address: string) {
    this.address = address;
    FakeSource.made.push(this);
  }

  addEventListener(name: string, listener: (event: unknown) => void): void {
    this.listeners.set(name, listener);
  }

  close(): void {
    this.readyState = FakeSource.CLOSED;
  }

  send(name: string, data: unknown, id: string): void {
    this.listeners.get(name)?.({ data: JSON.stringify(data), lastEventId: id });
  }

  /** The connection ends; `final` when the browser does not try again by itself. */
  break(final: boolean): void {
    this.readyState = final ? FakeSource.CLOSED : FakeSource.CONNECTING;
    this.onerror?.();
  }
}
