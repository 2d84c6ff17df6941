import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { onSignedOut } from "@/api/client";
import { ApiProblem } from "@/api/problem";
import { startLanguage } from "@/app/language";
import { Preferences } from "@/app/preferences";
import { makeRouter } from "@/app/router";
import { applyAppearance, storedAppearance } from "@/app/theme";
import { noteSignedIn, sessionQuery } from "@/identity/session";
import "@/app/base.css";

applyAppearance(storedAppearance());

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal stays a refusal; only what never arrived or broke on the way is worth another try.
      retry: (count, error) => count < 2 && !(error instanceof ApiProblem && error.status >= 400 && error.status < 500),
    },
  },
});
const router = makeRouter(queries);

onSignedOut(() => {
  noteSignedIn(false);
  queries.setQueryData(sessionQuery.queryKey, null);
  router.invalidate();
});

// A part of the portal that does not load: the network broke, or a newer portal was installed meanwhile. Loading the page
// again mends both; a second failure within seconds is shown instead of reloading for ever.
window.addEventListener("vite:preloadError", (event) => {
  const last = Number(sessionStorage.getItem("atoll.reloaded") ?? 0);
  if (Date.now() - last < 10_000) return;
  sessionStorage.setItem("atoll.reloaded", String(Date.now()));
  event.preventDefault();
  window.location.reload();
});

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

await startLanguage();
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Preferences>
        <RouterProvider router={router} />
      </Preferences>
    </QueryClientProvider>
  </StrictMode>,
);
