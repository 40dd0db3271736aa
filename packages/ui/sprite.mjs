// Writes the sprite of the icons that the pages use: `node packages/ui/sprite.mjs <file>`, once the package is compiled.

import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ICONS } from "./dist/icon.js";

const [file] = process.argv.slice(2);
const { icons, lastModified } = createRequire(import.meta.url)("@iconify-json/lucide/icons.json");
const symbolOf = (name) => {
  const { body } = icons[name] ?? {};
  if (!body) throw new Error(`Lucide has no icon ${name}`);
  return `<symbol id="${name}" viewBox="0 0 24 24">${body.replaceAll('stroke-width="2"', 'stroke-width="1.75"')}</symbol>`;
};
const licence = `Lucide icons, ISC licence, https://lucide.dev/license; as of ${new Date(lastModified * 1000).toISOString().slice(0, 10)}`;
writeFileSync(
  file,
  `<svg xmlns="http://www.w3.org/2000/svg">\n<!-- ${licence} -->\n${ICONS.map(symbolOf).join("\n")}\n</svg>\n`,
);
