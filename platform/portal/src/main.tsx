import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { onNotAllowed, onSignedOut } from "@/api/client";
import { ApiProblem } from "@/api/problem";
import { FEATURES } from "@/app/features";
import { makeRouter } from "@/app/router";
import { addFeatureWords } from "@/app/words";
import { Preferences } from "@/appearance/preferences";
import { applyAppearance, storedAppearance } from "@/appearance/theme";
import { FeedbackProvider } from "@/elements/feedback";
import { RegistryContext, registryOf } from "@/features/registry";
import { takeArrival } from "@/identity/arrival";
import { noteSignedIn, sessionQuery } from "@/identity/session";
import { recallSettings } from "@/identity/settings";
import { startLanguage } from "@/words/language";
import "@/appearance/base.css";

applyAppearance(storedAppearance());
recallSettings();
takeArrival();

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

// What a person may do can become less while the portal is open: the menu and the pages follow what the server says now.
const allowed = () => JSON.stringify(queries.getQueryData(sessionQuery.queryKey)?.permissions);
onNotAllowed(async () => {
  const before = allowed();
  await queries.fetchQuery({ ...sessionQuery, staleTime: 5_000 }).catch(() => undefined); // it is asked again next time
  if (allowed() !== before) router.invalidate();
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

const registry = registryOf(FEATURES);
addFeatureWords();
await startLanguage();
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Preferences>
        <FeedbackProvider>
          <RegistryContext value={registry}>
            <RouterProvider router={router} />
          </RegistryContext>
        </FeedbackProvider>
      </Preferences>
    </QueryClientProvider>
  </StrictMode>,
);
