import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cyclesOf, filesImported, specifiersIn } from "../tools/measure/sources.ts";
import { importFault, PACKAGES, packageFault } from "./imports.ts";
import * as lists from "./lists.ts";
import { sourceAt } from "./support/named-files.ts";

const top = join(import.meta.dirname, "..");
const root = join(top, "src");
/** Those of packages by their path in the checkout. */
const files = [
  ...globSync("**/*.{ts,tsx}", { cwd: root }),
  ...globSync("{packages,messengers}/*/src/**/*.{ts,tsx}", { cwd: top }),
];
const text = (file: string) => readFileSync(sourceAt(file), "utf8");

const importsOf = (file: string, source = text(file)): string[] => filesImported(file, source);
const packagesOf = (source: string): string[] => specifiersIn(source).filter((specifier) => !specifier.startsWith("."));

describe("the source tree", () => {
  it.each(files)("%s imports only what its room may", (file) => {
    expect(importsOf(file).flatMap((target) => importFault(file, target) ?? [])).toEqual([]);
    expect(packagesOf(text(file)).flatMap((name) => packageFault(file, name) ?? [])).toEqual([]);
  });

  it("reports an import in the wrong direction", () => {
    expect(importsOf("domain/x.ts", 'import { a } from "../store/store.ts";')).toEqual(["store/store.ts"]);
    expect(importFault("domain/ids.ts", "store/open.ts")).toContain("may import only");
    expect(importFault("messengers/webchat/src/index.ts", "messengers/telegram/src/api.ts")).toContain(
      "may import only",
    );
    expect(importFault("relay/deliver/attempt.ts", "http/site.ts")).toContain("may import only");
    expect(importFault("http/site.ts", "store/open.ts")).toContain("may import only");
    expect(importFault("relay/limits/limits.ts", "relay/deliver/steps.ts")).toContain("may import only");
    expect(importFault("relay/deliver/attempt.ts", "store/store.ts")).toBeUndefined();
  });

  it("lets no SQL and no row type out of the store", () => {
    const schema = "store/tables/schema.ts";
    for (const file of ["relay/worker.ts", "module/health/watch.ts", "operator/dead.ts", "app.ts", "store/outbox.ts"])
      expect(importFault(file, schema)).toContain("may import only");
    for (const name of ["drizzle-orm", "better-sqlite3"])
      for (const file of ["relay/worker.ts", "operator/dead.ts", "app.ts", "store/outbox.ts"])
        expect(packageFault(file, name)).toContain("only store/sqlite/");
    expect(importFault("store/tables/accounts/audit.ts", schema)).toBeUndefined();
  });

  it("reports a package used outside its rooms", () => {
    expect(packagesOf('import Sqlite from "better-sqlite3";\nimport "pino";')).toEqual(["better-sqlite3", "pino"]);
    expect(packageFault("relay/worker.ts", "better-sqlite3")).toContain("only store/");
    expect(packageFault("relay/worker.ts", "drizzle-orm/better-sqlite3")).toContain("only store/");
    expect(packageFault("gateway/client.ts", "bottleneck")).toContain("only gateway/limiter.ts");
    expect(packageFault("http/site.ts", "@hono/else")).toContain("does not list it");
    expect(packageFault("http/site.ts", "@hono/node-server/serve-static")).toBeUndefined();
    expect(packageFault("module/health/watch.ts", "node:process")).toContain("does not list it");
  });

  it("lists the rooms of every dependency", () => {
    const manifests = ["package.json", ...globSync("{packages,messengers}/*/package.json", { cwd: top })].map((file) =>
      JSON.parse(readFileSync(join(top, file), "utf8")),
    );
    const needed = manifests.flatMap(({ name, dependencies, peerDependencies = {} }) => [
      ...[name, ...Object.keys(dependencies)],
      ...Object.keys(peerDependencies),
    ]);
    expect(Object.keys(PACKAGES).sort()).toEqual(
      [...new Set(needed)].filter((name) => name !== "gangway-server").sort(),
    );
  });

  it("has no import cycle", () => {
    expect(cyclesOf(files.map((path) => ({ path, imports: importsOf(path) })))).toEqual([]);
  });

  it("reports import cycles, also of types and through other files", () => {
    const cyclesIn = (sources: Record<string, string>) =>
      cyclesOf(Object.entries(sources).map(([path, source]) => ({ path, imports: importsOf(path, source) })));
    const line = {
      "x/a.ts": 'import { b } from "./b.ts";',
      "x/b.ts": 'import type { C } from "../y/c.ts";',
      "y/c.ts": "",
    };
    expect(cyclesIn(line)).toEqual([]);
    const turned = { ...line, "y/c.ts": 'export type { A } from "../x/a.ts";', "z.ts": 'import "./x/a.ts";' };
    expect(cyclesIn(turned)).toEqual([["x/a.ts", "x/b.ts", "y/c.ts"]]);
    expect(cyclesIn({ "a.ts": 'const a = import("./a.ts");' })).toEqual([["a.ts"]]);
  });

  it("uses the process only in entry files", () => {
    const isKit = (file: string) => file.startsWith("packages/messenger/src/kit/");
    const entries = new Set(["cli.ts", "main.ts", "server.ts", "operator/main.ts"]);
    expect(
      files.filter(
        (file) =>
          !entries.has(file) && !isKit(file) && /\bprocess\.(env|argv|exit|on|stdout)\b|= process\b/.test(text(file)),
      ),
    ).toEqual([]);
  });

  it("uses the project's words", () => {
    const foreign = /\b(class|interface|type|const|function) \w*(Manager|Service|Handler|Helper|Util|Impl)\b/;
    expect(files.filter((file) => foreign.test(text(file)))).toEqual([]);
    expect(files.filter((file) => /(^|\/)(utils|helpers|common|types|services)\//.test(file))).toEqual([]);
    // Say slot, address, position, capability, action, MAX_.
    const vague = /\b(\w*Places?|\w*Manners?|manners?|deeds?|MOST_\w+)\b/;
    expect(files.filter((file) => vague.test(text(file)))).toEqual([]);
  });

  it("has the tests of a source file under its path in test/unit, or in its package, with an aspect where there are several", () => {
    const own = globSync(["packages/*/test/**/*.test.ts", "messengers/*/test/unit/**/*.test.ts"], { cwd: top });
    const tests = [...globSync("**/*.test.{ts,tsx}", { cwd: join(import.meta.dirname, "unit") }), ...own];
    const named = (test: string) => {
      const path = test
        .replace(/\.test\.tsx?$/, "")
        .replace(/^((?:packages|messengers)\/\w+)\/test\/(?:unit\/)?/, "$1/src/");
      return [path, path.replace(/\.[^./]+$/, "")].flatMap((each) => [`${each}.ts`, `${each}.tsx`]);
    };
    expect(tests.length).toBeGreaterThan(100);
    expect(tests.filter((test) => !named(test).some((path) => existsSync(sourceAt(path))))).toEqual([]);
  });

  it("has no unseeded randomness in its tests", () => {
    const tests = globSync("{test,packages/*/test,messengers/*/test}/**/*.test.ts", { cwd: top });
    const chance = (file: string) =>
      !file.endsWith("/house.test.ts") && /Math\.random|from "fast-check"/.test(readFileSync(join(top, file), "utf8"));
    expect(tests.filter(chance)).toEqual(["test/model/lanes.test.ts"]);
  });

  it("lists only test files that exist, and every one that has a long form", () => {
    const folder = import.meta.dirname;
    const tests = globSync(["**/*.test.ts", "**/*.test.tsx"], { cwd: folder });
    const { IN_SANDBOX, ...own } = lists;
    const found = (name: string) => globSync(`${name}.test.ts`, { cwd: folder });
    expect(
      Object.values(own)
        .flat()
        .filter((name) => found(name).length === 0),
    ).toEqual([]);
    expect(IN_SANDBOX.filter((name) => !existsSync(join(folder, `../sandbox/test/${name}.test.ts`)))).toEqual([]);
    const listed = new Set([...lists.LONG_FORMS, lists.ONLY_LONG].flatMap(found));
    const longForms = tests.filter((file) => /\bLONG\b.*support\/long/.test(readFileSync(join(folder, file), "utf8")));
    expect(longForms).not.toEqual([]);
    expect(longForms.filter((file) => !listed.has(file))).toEqual([]);
  });

  it("runs on PostgreSQL, too, whatever is written for both engines", () => {
    const folder = import.meta.dirname;
    const both = globSync("**/*.test.ts", { cwd: folder }).filter((file) =>
      /\{[^}]*\b(ENGINES|WITH_EVERY_STORAGE)\b[^}]*\} from .*support\/engines/.test(
        readFileSync(join(folder, file), "utf8"),
      ),
    );
    const listed = [...lists.ON_POSTGRES, ...lists.LONG_ON_POSTGRES].map((name) => `${name}.test.ts`);
    expect(both).not.toEqual([]);
    expect(
      both.filter((file) => !listed.includes(file)),
      "name them in test/lists.ts: LONG_ON_POSTGRES, or ON_POSTGRES for what every run has to try",
    ).toEqual([]);
  });

  it("never fakes the time of the system's clock, which the test files of a worker share", () => {
    const _folder = import.meta.dirname;
    const faking = globSync("{test,packages/*/test,messengers/*/test}/**/*.test.ts", { cwd: top }).filter((file) => {
      const source = readFileSync(join(top, file), "utf8");
      return (
        !file.endsWith("/house.test.ts") && /toFake:[^\]]*"performance"/.test(source) && source.includes("systemClock")
      );
    });
    expect(faking).toEqual([]);
  });

  it("follows the order of a namespace's exports nowhere: Node sorts them, vitest does not", () => {
    const namespaces = (source: string) => [...source.matchAll(/import \* as (\w+)/g)].map(([, name]) => name);
    const listed = (source: string) =>
      namespaces(source).filter((name) => RegExp(`Object\\.(values|keys|entries)\\(${name}\\)`).test(source));
    // Sorted there by their foreign keys.
    expect(files.filter((file) => listed(text(file)).length > 0)).toEqual(["store/moving/move.ts"]);
  });

  it("sets no deadline by a signal of its own, which vanishes with a garbage collection, and no clock moves", () => {
    const own = /\bAbortSignal\s*\.\s*(any|timeout)\(/;
    expect(files.filter((file) => own.test(text(file)))).toEqual([]);
    expect(own.test("AbortSignal.timeout(5)")).toBe(true);
  });

  it("never passes an async callback to a database transaction", () => {
    expect(files.filter((file) => /(transaction|write)\(async/.test(text(file)))).toEqual([]);
  });
});
