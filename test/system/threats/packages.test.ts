import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8"));
type Manifest = Record<string, Record<string, string>>;
const { dependencies, devDependencies, allowScripts } = read("package.json") as Manifest;
const { dependencies: ofSandbox } = read("sandbox/package.json") as Manifest;
const ROOT = new URL("../../../", import.meta.url).pathname;
/** Of the packages that are bundled into the server. */
const ofPackages = globSync("{packages,messengers}/*/package.json", { cwd: ROOT }).flatMap((file) =>
  Object.entries((read(file) as Manifest).dependencies ?? {}),
);
const { optionalDependencies: runtimes } = read("tools/runtime/package.json") as Manifest;
type Locked = {
  version?: string;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
  optional?: boolean;
  link?: boolean;
};
const { packages } = read("package-lock.json") as { packages: Record<string, Locked> };
const { packages: ofOldest } = read(".ci/node-22/package-lock.json") as { packages: Record<string, Locked> };
const locked = Object.entries({ ...packages, ...ofOldest }).filter(
  ([path, { link }]) => path.includes("node_modules/") && !link,
);

describe("third-party packages", () => {
  it("are few and pinned to one exact version", () => {
    const foreignNames = [...Object.keys(dependencies ?? {}), ...ofPackages.map(([name]) => name)].filter(
      (name) => !name.startsWith("gangway-"),
    );
    expect(new Set(foreignNames).size).toBeLessThanOrEqual(13);
    for (const [name, version] of ofPackages) expect({ ...dependencies, ...devDependencies }[name], name).toBe(version);
    for (const [name, version] of Object.entries(ofSandbox ?? {}))
      expect({ ...dependencies, ...devDependencies }[name] ?? version, name).toBe(version);
    const { "gangway-runtime": ours, ...foreign } = devDependencies ?? {};
    expect(ours).toBe("file:tools/runtime");
    for (const version of Object.values({ ...dependencies, ...foreign, ...ofSandbox, ...runtimes }))
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  });

  it("match the lockfile's hashes and come only from the registry", () => {
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([name]) => name)).toEqual([]);
    const elsewhere = locked.filter(
      ([, { resolved }]) => resolved && !resolved.startsWith("https://registry.npmjs.org/"),
    );
    expect(elsewhere.map(([name]) => name)).toEqual([]);
  });

  it("run no install scripts", () => {
    expect(Object.values(allowScripts ?? {}).filter((allowed) => allowed)).toEqual([]);
    for (const file of ["tools/launch.mjs", "Dockerfile", ".ci/run"]) {
      const text = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");
      expect(text.match(/(npm ci|\["ci",).*/g), file).toEqual([expect.stringContaining("--ignore-scripts")]);
    }
  });

  it("bring a Node for development that no production install has", () => {
    const brought = Object.entries(packages).filter(([path]) => /node_modules\/node-(linux|darwin)/.test(path));
    expect(brought.map(([path]) => path.split("/").at(-1))).toEqual(Object.keys(runtimes ?? {}));
    for (const [path, { dev, optional, hasInstallScript }] of brought)
      expect({ dev, optional, hasInstallScript }, path).toEqual({ dev: true, optional: true });
  });
});
