/** With what a browser comes back from a provider: words of the provider's own, each as it stands in the address. */
export interface Arrival {
  state: string;
  code?: string;
  error?: string;
  issuer?: string;
}

let arrived: Arrival | undefined;

/**
 * Takes it out of the address before anything else looks at that: the router would read a code of digits as a number,
 * and what opens an account is not left in the address bar.
 */
export function takeArrival(): void {
  const { pathname, search } = window.location;
  arrived = undefined;
  if (!pathname.startsWith("/sign-in/by/") || !search) return;
  const came = new URLSearchParams(search);
  const word = (name: string) => came.get(name) || undefined;
  arrived = {
    state: word("state") ?? "",
    code: word("code"),
    error: word("error")?.slice(0, 256),
    issuer: word("iss")?.slice(0, 512),
  };
  window.history.replaceState(window.history.state, "", pathname);
}

export function arrival(): Arrival | undefined {
  return arrived;
}
