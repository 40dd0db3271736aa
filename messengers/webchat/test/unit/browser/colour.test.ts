import { describe, expect, it } from "vitest";
import { contrast, inkOn, readableOn } from "../../../src/browser/colour.ts";

describe("the colours", () => {
  it.each(["#0f5f6b", "#ffffff", "#000000", "#ffd400", "#777777", "#e91e63"])("can be read on %s", (accent) => {
    expect(contrast(inkOn(accent), accent)).toBeGreaterThanOrEqual(4);
    for (const ground of ["#ffffff", "#192227"])
      expect(contrast(readableOn(accent, ground), ground)).toBeGreaterThanOrEqual(4.5);
  });
});
