import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"));
type Asked = Record<string, Record<string, string>>;
const { dependencies, devDependencies, allowScripts } = read("package.json") as Asked;
const { dependencies: ofSandbox } = read("sandbox/package.json") as Asked;
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

describe("the packages of others", () => {
  it("are few, and each is asked for in one version", () => {
    expect(Object.keys(dependencies ?? {}).length).toBeLessThanOrEqual(12);
    for (const [name, version] of Object.entries(ofSandbox ?? {}))
      expect({ ...dependencies, ...devDependencies }[name] ?? version, name).toBe(version);
    for (const version of Object.values({ ...dependencies, ...devDependencies, ...ofSandbox }))
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("are what they were when they were locked, and come from the registry only", () => {
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([name]) => name)).toEqual([]);
    const elsewhere = locked.filter(
      ([, { resolved }]) => resolved && !resolved.startsWith("https://registry.npmjs.org/"),
    );
    expect(elsewhere.map(([name]) => name)).toEqual([]);
  });

  it("run nothing when they are installed, but for those that are named", () => {
    const run = locked.filter(([, { hasInstallScript, optional }]) => hasInstallScript && !optional);
    const names = run.map(([path]) => path.split("node_modules/").at(-1) ?? "");
    expect([...new Set(names)].filter((name) => !allowScripts?.[name])).toEqual([]);
  });
});
