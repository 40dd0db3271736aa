import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { cut } from "./support/cut-otherwise.ts";
import { textsCut } from "./support/cut-texts.ts";

const root = join(import.meta.dirname, "..");
/** The one function that cuts texts; a page's own is beside it, since pages load no rooms of the server. */
const CUTTERS = /(packages\/messenger\/src\/text|messengers\/webchat\/src\/browser\/cut)\.ts/;

describe("a text of somebody", () => {
  it.each(["tsconfig.json", "tsconfig.browser.json"])("is cut by one function only (%s)", (config) => {
    const isOurs = (path: string) =>
      /^(src|(packages|messengers)\/\w+\/src)\//.test(relative(root, path)) && !CUTTERS.test(path);
    expect(textsCut(join(root, config), isOurs)).toEqual([]);
  });

  it("is noticed where it is cut otherwise", () => {
    expect(cut(undefined, undefined, [], 0)).toHaveLength(5);
    const own = textsCut(join(root, "tsconfig.json"), (path) => /test\/support\/cut-otherwise\.ts$/.test(path));
    expect(own.map((each) => each.replace(/^.*?:\d+ /, ""))).toEqual([
      "text.slice(0, MAX)",
      '(text ?? "").substring(0, 40)',
      "given?.slice(0, MAX - 1)",
    ]);
  });
});
