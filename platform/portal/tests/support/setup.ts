import { afterEach, vi } from "vitest";

// The client of the API takes `fetch` when it is loaded, so what answers in its place must be there before.
globalThis.fetch = (input, init) => globalThis.answer(new Request(input, init));
globalThis.answer = () => Promise.reject(new TypeError("no test serves this"));

declare global {
  var answer: (request: Request) => Promise<Response>;
}

if (typeof window !== "undefined") {
  const { cleanup, configure } = await import("@testing-library/react");
  configure({ asyncUtilTimeout: 15_000 }); // a busy machine is slow, not wrong
  afterEach(() => {
    cleanup();
    localStorage.clear();
    vi.restoreAllMocks();
  });
}
