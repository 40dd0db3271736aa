import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"));
const { dependencies, devDependencies, allowScripts } = read("package.json") as Record<string, Record<string, string>>;
type Locked = {
  version?: string;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  optional?: boolean;
};
const locked = Object.entries((read("package-lock.json") as { packages: Record<string, Locked> }).packages).slice(1);

describe("the packages of others", () => {
  it("are few, and each is asked for in one version", () => {
    expect(Object.keys(dependencies ?? {}).length).toBeLessThanOrEqual(12);
    for (const version of Object.values({ ...dependencies, ...devDependencies }))
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
