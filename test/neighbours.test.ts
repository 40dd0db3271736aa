import { globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cyclesOf, sourcesIn, specifiersIn } from "../tools/measure/sources.ts";
import { importFault } from "./imports.ts";

const ROOT = join(import.meta.dirname, "..");
/** The template becomes a messenger and its contract test. */
const TEMPLATE = "tools/new-messenger/template/";

/** Imports of a folder's sources: files relative to the checkout, and packages. */
const importsIn = (folder: string): { file: string; target: string }[] =>
  sourcesIn(ROOT, folder).flatMap(({ path, text, imports }) =>
    [...imports, ...specifiersIn(text).filter((specifier) => !specifier.startsWith("."))].map((target) => ({
      file: path,
      target,
    })),
  );

const strangers = (folder: string, isOwn: (target: string) => boolean) =>
  importsIn(folder).flatMap(({ file, target }) => (isOwn(target) ? [] : [`${file} -> ${target}`]));
const isPackage = (target: string) =>
  /^(node:|[a-z@])/.test(target) && !/^(src|packages|messengers|sandbox|tools|test)\//.test(target);

describe("the neighbours of the product", () => {
  it("the messengers' package imports itself, and other people's packages", () => {
    const own = (target: string) => target.startsWith("packages/messenger/") || isPackage(target);
    expect(strangers("packages/messenger", own).filter((line) => !line.includes(".test.ts -> test/support/"))).toEqual(
      [],
    );
  });

  it("are unknown to it", () => {
    const foreign = (target: string) => /^(sandbox|tools|test)\/|^gangway-sandbox|^#product/.test(target);
    expect(strangers("src", (target) => !foreign(target))).toEqual([]);
  });

  it("the sandbox imports itself and packages only", () => {
    const own = (target: string) => target.startsWith("sandbox/src/") || isPackage(target);
    expect(strangers("sandbox/src", own)).toEqual([]);
  });

  it("the tools import only the sandbox's package and the product's build", () => {
    const own = (target: string) => target.startsWith("tools/") || target.startsWith("#product/") || isPackage(target);
    expect(strangers("tools", own).filter((line) => !line.startsWith(TEMPLATE))).toEqual([]);
  });

  it("a messenger's emulator imports nothing of its adapter, nor the adapter of the emulator", () => {
    const ofAdapter = (target: string) =>
      /^messengers\/[^/]+\/(?!emulator\/)/.test(target) || /^gangway-(?!messenger\/)(?!\w+\/emulator\/)/.test(target);
    const isOfEmulator = (target: string) =>
      /^messengers\/[^/]+\/emulator\//.test(target) || target.includes("/emulator");
    for (const folder of globSync("messengers/*", { cwd: ROOT })) {
      const own = (target: string) => target.startsWith(`${folder}/emulator/`) || isPackage(target);
      expect(strangers(`${folder}/emulator`, (target) => own(target) && !ofAdapter(target))).toEqual([]);
      expect(strangers(`${folder}/src`, (target) => !isOfEmulator(target))).toEqual([]);
    }
  });

  it("a messenger's template imports only what a messenger may", () => {
    const ofMessenger = importsIn(TEMPLATE);
    const ofProduct = ofMessenger.flatMap(({ target }) => (target.startsWith("src/") ? [target.slice(4)] : []));
    expect(ofMessenger.some(({ target }) => target === "gangway-messenger/port")).toBe(true);
    expect(ofProduct.flatMap((target) => importFault("messengers/template/src/index.ts", target) ?? [])).toEqual([]);
  });
});

it.each(["sandbox/src", "tools"])("%s has no import cycle", (folder) => {
  expect(cyclesOf(sourcesIn(ROOT, folder))).toEqual([]);
});
