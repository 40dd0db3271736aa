import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../tools/root.ts";
import { featureSheets } from "../../tools/sheets.ts";

const sheets = featureSheets();
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

describe("the sheets of features", () => {
  it.each(Object.entries(sheets))("%s is up to date: npm run sheets", (path, made) => {
    expect(existsSync(join(ROOT, path)) && textOf(path)).toBe(made);
  });

  it("say what was proven, and nothing else", () => {
    const whatsapp = textOf("messengers/whatsapp/features/en.md");
    expect(whatsapp).toMatch(/^\| Text \| both \| both \| – \| – \| both \| up to 16,384 characters \|$/m);
    expect(whatsapp).toContain("Agents may write first with a template.");
    expect(textOf("messengers/telegram/features/ru.md")).toMatch(/^\| Текст \| все \| все \| все \| /m);
    expect(textOf("messengers/demo/features/es.md")).not.toContain("Imágenes");
  });
});
