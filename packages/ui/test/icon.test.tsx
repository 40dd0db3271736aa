import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ICONS, Icon } from "../src/icon.tsx";

it("the sprite has each icon that a page may name, and no other", () => {
  const folder = mkdtempSync(join(tmpdir(), "sprite-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "icons.svg");
  execFileSync(process.execPath, [join(import.meta.dirname, "../sprite.mjs"), file]);
  const sprite = readFileSync(file, "utf8");
  const symbols = [...sprite.matchAll(/<symbol id="([^"]+)" viewBox="0 0 24 24"><\w/g)].map(([, id]) => id);
  expect(symbols).toEqual([...ICONS]);
  expect(sprite).toContain("ISC licence");
});

it("an icon is decoration, drawn from the sprite", () => {
  const icon = String(<Icon name="plus" />);
  expect(icon).toContain('aria-hidden="true"');
  expect(icon).toContain('<use href="/icons.svg#plus"');
});
