import type codes from "@/locales/codes.en.gen.json";
import type common from "@/locales/en.json";

// The words of everybody; each feature adds its own namespace in its feature.tsx. So a wrong key is an error of types.
declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "common";
    returnNull: false;
  }
  interface ResourceNamespaceMap {
    common: typeof common;
    codes: typeof codes;
  }
}
