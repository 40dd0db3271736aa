import { expect, it } from "vitest";
import { Glyph } from "../src/glyph.tsx";

it("a sign is drawn by attributes alone, which a strict content security policy allows", () => {
  for (const sign of [<Glyph shape={{ color: "#2aabee", path: "M4 5h16" }} />, <Glyph />])
    expect(String(sign)).not.toMatch(/style|class="(?!glyph")/);
  const sign = String(<Glyph shape={{ color: "#2aabee", path: "M4 5h16" }} />);
  expect(sign).toContain('fill="#2aabee"');
  expect(sign).toContain('d="M4 5h16"');
});

it("a messenger without a sign of its own has a plain one", () => {
  expect(String(<Glyph />)).toMatch(/fill="#[0-9a-f]{6}".*<path d="M/);
});
