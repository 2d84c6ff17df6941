import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// Where `npm run dev` finds the API; `./atoll dev` prints the address it listens on.
const api = process.env.ATOLL_API ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: ["chrome120", "firefox121"],
    assetsInlineLimit: 0, // the content security policy allows no data: addresses for scripts and fonts
    modulePreload: { polyfill: false },
    manifest: true,
  },
  server: { host: "127.0.0.1", port: 5173, proxy: { "/api": { target: api } } },
  preview: { host: "127.0.0.1", port: 4173, proxy: { "/api": { target: api } } },
});
