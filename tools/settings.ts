// Writes what is made from the table of settings: .env.example, and the tables in docs/settings.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { adapters } from "#product/messengers";
import { type Setting, settingsOf } from "#product/settings";
import { between } from "./between.ts";
import { ROOT } from "./root.ts";

const HEAD = `# Every setting, with its default. An empty value counts as absent.
# Copy this file to .env: \`npm start\` reads it (the environment takes precedence), and so does \`docker run --env-file .env\`.
# For the other commands: npm exec -- node --env-file=.env dist/cli.js doctor
# Made from src/settings.ts and the messengers' server settings by: npm run docs:settings
`;

const PAGE = "docs/settings.md";

/** What the files should contain, by path in the checkout. */
export function settingsPages(): Record<string, string> {
  const settings = settingsOf(adapters);
  const groups = [...new Set(settings.map(({ group }) => group))].map((title) => ({
    title,
    rows: settings.filter(({ group }) => group === title),
  }));
  const example = groups.map(({ title, rows }) => `\n# ---- ${title} ----\n\n${rows.map(exampleOf).join("")}`);
  const tables = groups.map(({ title, rows }) =>
    [`## ${title}\n`, "| Variable | Default | Meaning |", "| --- | --- | --- |", ...rows.map(rowOf)].join("\n"),
  );
  return {
    ".env.example": HEAD + example.join(""),
    [PAGE]: between(readFileSync(join(ROOT, PAGE), "utf8"), "settings", `\n${tables.join("\n\n")}\n`),
  };
}

function exampleOf({ name, help, default: value = "" }: Setting): string {
  const lines = help.match(/\S.{0,117}(?= |$)|\S+/g) ?? [];
  return `${lines.map((line) => `# ${line}\n`).join("")}${name}=${value}\n`;
}

function rowOf({ name, help, default: value, secret }: Setting): string {
  const linked = escaped(help).replace(
    /\b(?:docs|messengers\/\w+)\/[\w-]+\.md(#[\w-]+)?/g,
    (path, part = "") => `[${path}](${path.startsWith(PAGE) ? part : relative("docs", path)})`,
  );
  return `| \`${name}\`${secret ? ", secret" : ""} | ${value === undefined ? "" : `\`${value}\``} | ${linked} |`;
}

const escaped = (text: string) => text.replace(/[<>*|]/g, "\\$&");

if (import.meta.main) for (const [path, text] of Object.entries(settingsPages())) writeFileSync(join(ROOT, path), text);
