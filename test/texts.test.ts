import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { cut } from "./support/cut-otherwise.ts";
import { textsCut } from "./support/cut-texts.ts";

const root = join(import.meta.dirname, "..");
/** The one function that cuts texts; a page's own is beside it, since pages load no rooms of the server. */
const CUTTERS = /(packages\/messenger\/src\/text|messengers\/webchat\/src\/browser\/cut)\.ts/;

describe("a text of somebody", () => {
  const isOurs = (path: string) =>
    /^(src|(packages|messengers)\/\w+\/src)\//.test(relative(root, path)) && !CUTTERS.test(path);

  it("is cut by one function only, in a page, too", () => {
    expect(textsCut(join(root, "tsconfig.browser.json"), isOurs)).toEqual([]);
  });

  it("is cut by one function only, and noticed where it is cut otherwise", () => {
    expect(cut(undefined, undefined, [], 0)).toHaveLength(5);
    const isOwn = (path: string) => /test\/support\/cut-otherwise\.ts$/.test(path);
    const found = textsCut(join(root, "tsconfig.json"), (path) => isOurs(path) || isOwn(path));
    const own = found.filter((each) => isOwn(each.replace(/:\d+ .*$/s, "")));
    expect(found.filter((each) => !own.includes(each))).toEqual([]);
    expect(own.map((each) => each.replace(/^.*?:\d+ /, ""))).toEqual([
      "text.slice(0, MAX)",
      '(text ?? "").substring(0, 40)',
      "given?.slice(0, MAX - 1)",
    ]);
  });
});
