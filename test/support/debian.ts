import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** A program of Debian's, such as `usr/bin/promtool`. Its package is unpacked, not installed: that would start a server. */
export function debianProgram(folder: string, name: string, path: string): string | undefined {
  const here = join("/", path);
  if (existsSync(here)) return here;
  const quiet = { cwd: folder, stdio: "ignore" } as const;
  const download = `apt-get -qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20 download ${name}`;
  spawnSync("sh", ["-c", `${download} && dpkg-deb --fsys-tarfile ${name}_*.deb | tar x ./${path}`], quiet);
  const unpacked = join(folder, path);
  return existsSync(unpacked) ? unpacked : undefined;
}
