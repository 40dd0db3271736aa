import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"));
type Manifest = Record<string, Record<string, string>>;
const { dependencies, devDependencies, allowScripts } = read("package.json") as Manifest;
const { dependencies: ofSandbox } = read("sandbox/package.json") as Manifest;
type Locked = {
  version?: string;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  optional?: boolean;
  link?: boolean;
};
const { packages } = read("package-lock.json") as { packages: Record<string, Locked> };
const locked = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && !link);

describe("third-party packages", () => {
  it("are few and pinned to one exact version", () => {
    expect(Object.keys(dependencies ?? {}).length).toBeLessThanOrEqual(12);
    for (const [name, version] of Object.entries(ofSandbox ?? {}))
      expect({ ...dependencies, ...devDependencies }[name] ?? version, name).toBe(version);
    for (const version of Object.values({ ...dependencies, ...devDependencies, ...ofSandbox }))
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  });

  it("match the lockfile's hashes and come only from the registry", () => {
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([name]) => name)).toEqual([]);
    const elsewhere = locked.filter(
      ([, { resolved }]) => resolved && !resolved.startsWith("https://registry.npmjs.org/"),
    );
    expect(elsewhere.map(([name]) => name)).toEqual([]);
  });

  it("run no install scripts, except those allowed by name", () => {
    const run = locked.filter(([, { hasInstallScript, optional }]) => hasInstallScript && !optional);
    const names = run.map(([path]) => path.split("node_modules/").at(-1) ?? "");
    expect([...new Set(names)].filter((name) => !allowScripts?.[name])).toEqual([]);
  });
});
