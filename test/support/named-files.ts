import { join } from "node:path";

// Files as documents name them: by their path in src/ or test/, or those of packages by their path in the checkout.

const ROOT = join(import.meta.dirname, "..", "..");
const at = (folder: string) => (path: string) => join(ROOT, /^(packages|messengers)\//.test(path) ? "" : folder, path);

export const sourceAt = at("src");
export const testAt = at("test");
