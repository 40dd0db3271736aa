import { execFileSync, spawnSync } from "node:child_process";
import { ROOT } from "../../tools/root.ts";
import { linkPackages } from "../../tools/torture/copy.ts";
import { type Ending, temporaryFolder } from "./store.ts";

/** The version before this one, from which one upgrades: a commit until a release has a tag. Its tables are the baseline's. */
const LAST_VERSION = "2b74e00ecb0190c8ee21eeb9fb6b561663264d05";
/** What its server is built from. */
const PARTS = ["src", "packages", "messengers", "migrations", "package.json", "package-lock.json"];
const TOOLS = [":(glob)tools/*.mjs", ":(glob)tsconfig*.json"];

/** Whether this checkout has its history: a shallow clone, or a copy without .git, does not. */
export const hasLastVersion =
  spawnSync("git", ["cat-file", "-e", `${LAST_VERSION}^{commit}`], { cwd: ROOT, stdio: "ignore" }).status === 0;

/** Builds the last version's server with the packages of this checkout; returns its folder. Takes most of a minute. */
export function lastVersion(ending: Ending): string {
  const folder = temporaryFolder(ending);
  const archived = execFileSync("git", ["archive", LAST_VERSION, "--", ...PARTS, ...TOOLS], {
    cwd: ROOT,
    maxBuffer: 256 * 1024 ** 2,
  });
  execFileSync("tar", ["-x"], { cwd: folder, input: archived });
  linkPackages(folder);
  execFileSync(process.execPath, ["tools/launch.mjs", "build"], { cwd: folder, stdio: "pipe" });
  return folder;
}
