import { defineConfig } from "i18next-cli";

export default defineConfig({
  locales: ["en", "zh-CN"],
  extract: {
    input: ["src/**/*.{ts,tsx}"],
    output: "src/locales/{{language}}.json",
    primaryLanguage: "en",
    defaultNS: false,
  },
  lint: {
    acceptedTags: "all", // components of antd and our own show text, too
    acceptedAttributes: [
      "alt",
      "aria-label",
      "cancelText",
      "content",
      "description",
      "extra",
      "help",
      "label",
      "message",
      "okText",
      "placeholder",
      "purpose",
      "title",
    ],
  },
});
