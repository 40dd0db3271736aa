import { execFile, execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "../../tools/root.ts";

interface Run {
  code: number;
  said: string;
}

/** A messenger's package in a folder of its own, as `npm run new-messenger -- <kind> --out <folder>` begins it. */
export async function begunOutside(kind: string) {
  const top = mkdtempSync(join(tmpdir(), "gangway-outside-"));
  const folder = join(top, kind);
  const run = (program: string, args: string[], cwd = folder, env: Record<string, string> = {}) =>
    new Promise<Run>((resolve) => {
      const options = { cwd, maxBuffer: 64 * 1024 ** 2, env: { ...process.env, ...env } };
      execFile(process.execPath, [program, ...args], options, (error, out, wrong) => {
        resolve({ code: Number(error?.code ?? 0), said: out + wrong });
      });
    });
  const begun = await run(join(ROOT, "tools/new-messenger/main.mjs"), [kind, "--out", folder], ROOT);
  const bin = (name: string, file: string) => join(folder, "node_modules", name, file);
  const generated = () =>
    globSync("**/*.ts", { cwd: folder, exclude: ["node_modules", "dist"] }).map((file): [string, string] => [
      file,
      readFileSync(join(folder, file), "utf8"),
    ]);
  return {
    folder,
    begun,
    generated,
    run,
    textOf: (file: string) => readFileSync(join(folder, file), "utf8"),
    /** As `npm install` without a network: the tarballs of vendor/, and the checkout's copies of the packages that they name. */
    install: () => install(folder),
    types: () => run(bin("typescript", "bin/tsc"), ["-p", "tsconfig.json"]),
    build: () => run(bin("typescript", "bin/tsc"), ["-p", "tsconfig.build.json"]),
    tests: (args: string[], env?: Record<string, string>) =>
      run(bin("vitest", "vitest.mjs"), ["run", "--testTimeout=300000", "--hookTimeout=300000", ...args], folder, {
        SUITE: "",
        ...env,
      }),
    kit: (...args: string[]) => run(bin("gangway-messenger", "dist/kit/main.js"), args),
    sandbox: bin("gangway-sandbox", "dist/main.js"),
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}

function install(folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  const manifests = [join(folder, "package.json")];
  for (const file of readdirSync(join(folder, "vendor"))) {
    const target = join(modules, file.replace(/-\d.*/, ""));
    mkdirSync(target);
    execFileSync("tar", ["-xzf", join(folder, "vendor", file), "-C", target, "--strip-components=1"]);
    manifests.push(join(target, "package.json"));
  }
  const needed = manifests.flatMap((file) => {
    const { dependencies, devDependencies, peerDependencies } = JSON.parse(readFileSync(file, "utf8"));
    return Object.keys({ ...dependencies, ...peerDependencies, ...(file === manifests[0] && devDependencies) });
  });
  for (const name of new Set(needed.filter((each) => !each.startsWith("gangway-")))) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
}
