// The names of every feature, in one small file: what the menu and the search show before a feature is loaded.
export default import.meta.glob("../*/locales/names.en.json", { eager: true, import: "default" });
