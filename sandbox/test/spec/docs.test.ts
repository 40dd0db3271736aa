import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { servedContract } from "../../src/crm/contract.ts";
import { CRM_EXTRAS } from "../../src/crm/extras.ts";
import { EVENT_TYPES, SILENT_EVENT_TYPES } from "../../src/gateway/events.ts";
import type { Spec } from "../../src/spec.ts";
import { DEFAULT_UNKNOWNS } from "../../src/unknowns.ts";
import { account, module } from "./account.ts";
import { FORMS } from "./crm-samples.ts";
import { isQuoted, sentencesOf, silence, spec, statementsOf, unquoted } from "./statements.ts";

const text = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const document = text("../../../docs/sandbox.md");
const rows = document.split("\n").filter((line) => line.startsWith("| "));
/** The table of the spec's sentences. */
const quotes = rows.flatMap((row) => {
  const [, quote, file] = /^\| (.*) \| \[[\w-]+\]\(\.\.\/sandbox\/test\/spec\/([\w-]+\.test\.ts)\) \|$/.exec(row) ?? [];
  return quote && file ? [{ quote, file }] : [];
});

describe("docs/sandbox.md", () => {
  it("names a test for each statement of the spec, and each of these tests quotes it", () => {
    expect(quotes.length).toBeGreaterThan(180);
    for (const { quote, file } of quotes) expect(text(`./${file}`).replaceAll("\\'", "'")).toContain(`"${quote}"`);
  });

  it("leaves out no test that quotes the spec", () => {
    const files = readdirSync(new URL(".", import.meta.url)).filter((name) => name.endsWith(".test.ts"));
    const titles = files.flatMap((file) =>
      [...text(`./${file}`).matchAll(/(?:\bit|\bdescribe|\))\(\s*'((?:[^'\\\n]|\\.)+)'/g)].map(([, title]) => ({
        file,
        title: (title ?? "").replaceAll("\\'", "'"),
      })),
    );
    const said = titles.flatMap(({ file, title }) =>
      [...title.matchAll(/"([^"]{8,})"/g)].map(([, quote]) => ({ quote, file })),
    );
    expect(said.length).toBeGreaterThan(150);
    expect(said.filter((one) => !quotes.some(({ quote, file }) => quote === one.quote && file === one.file))).toEqual(
      [],
    );
  });

  const contract = (name: string): Spec => JSON.parse(text(`../../../sandbox/contract/${name}.openapi.json`));
  const callsOf = (...specs: Spec[]) =>
    specs.flatMap(({ paths }) =>
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId }]) => [`${method.toUpperCase()} ${path}`, operationId]),
      ),
    );
  /** The text from a heading to the next. */
  const section = (heading: string) => document.split(`\n### ${heading}\n`)[1]?.split(/\n##+ /)[0] ?? "";
  const listedIn = (heading: string) =>
    [...section(heading).matchAll(/^\| `([A-Z]+ \S+)` \| `(\w+)` \|$/gm)].map(([, call, operation]) => [
      call,
      operation,
    ]);
  const quoted = (words: string) => [...words.matchAll(/`(\w+_\w+)`/g)].map(([, name]) => name);

  it.each([
    ["Transport API", [contract("transport-api")]],
    ["Bot API", [contract("bot-api")]],
    ["CRM", [contract("crm-modules"), CRM_EXTRAS]],
    ["Records and dictionaries of the CRM", servedContract().map(([, spec]) => spec)],
  ])("lists exactly the served calls of the %s", (heading, specs) => {
    expect(listedIn(heading).sort()).toEqual(callsOf(...specs).sort());
  });

  it("lists exactly the webhooks and the socket's events", () => {
    const webhooks = section("Transport API").split("Its webhooks:")[1] ?? "";
    expect(quoted(webhooks)).toEqual(Object.keys(contract("transport-api").webhooks ?? {}));
    const [, events = "", silent = ""] = section("Bot API").split(/Its socket's events:|A socket may also ask for/);
    expect([quoted(events), quoted(silent)]).toEqual([[...EVENT_TYPES], [...SILENT_EVENT_TYPES]]);
  });

  // The conformance run covers the other two APIs.
  it("lists only existing calls of the CRM", async () => {
    const { edit, crm } = account();
    await edit(module());
    for (const call of listedIn("CRM")) {
      const [method = "", path = ""] = (call[0] ?? "").split(" ");
      const [sample, form] = FORMS[call[1] ?? ""] ?? [path.replace("{code}", "m").replace("{id}", "1"), undefined];
      const fields = Object.entries(form ?? {}).map(([name, value]) => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]);
      const { status, body } = await crm(method, sample, form && Object.fromEntries(fields));
      expect([call, status < 300, body.success]).toEqual([call, true, true]);
    }
  });

  it("lists methods of the CRM that are not served", async () => {
    const { crm } = account();
    const rest = section("Methods of the CRM that are not served");
    const calls = [...rest.matchAll(/`(GET|POST) (\/[^`]+)`/g)];
    expect(calls.length).toBeGreaterThan(40);
    for (const [call, method = "", path = ""] of calls) {
      const { status, body } = await crm(method, `/api/v5${path.replaceAll(/\{\w+\}/g, "1")}`);
      expect([call, status, body.errorMsg]).toEqual([call, 404, "API method not found"]);
    }
  });

  it("lists every unknown with its default", () => {
    for (const [name, value] of Object.entries(DEFAULT_UNKNOWNS))
      expect(
        rows.some((row) => row.startsWith(`| \`${name}\` | \`${JSON.stringify(value)}\` |`)),
        name,
      ).toBe(true);
  });
});

describe("the statements of a spec", () => {
  const cut = statementsOf(
    "# A spec\n\nIt serves ropes. Their colour is not shown.\n\n- Knots hold.\n\n| Path | Purpose |\n|---|---|\n| /ropes | List of ropes. Sorted. |\n",
  );
  const left = (...given: string[]) => cut.flatMap((statement) => unquoted(statement, given));

  it("are its sentences, the entries of its lists and the rows of its tables", () => {
    expect(cut).toEqual([
      ["It serves ropes."],
      ["Their colour is not shown."],
      ["Knots hold."],
      ["/ropes", "List of ropes. Sorted."],
    ]);
  });

  it("are quoted in whole or in parts that make them up, and what no quote says is named", () => {
    expect(left()).toEqual(["It serves ropes.", "Knots hold.", "/ropes", "List of ropes.", "Sorted."]);
    expect(left("It serves ropes.", "Knots hold.", "/ropes … List of ropes. Sorted.")).toEqual([]);
    expect(left("It serves", "ropes.", "Knots hold.", "/ropes … List of ropes.")).toEqual(["Sorted."]);
    expect(left("It serves", "Knots hold.", "/ropes … Sorted.", "List of ropes. … /ropes")).toEqual([
      "It serves ropes.",
      "List of ropes.",
    ]);
    expect(cut.some((statement) => isQuoted("/ropes … List of knots.", statement))).toBe(false);
  });
});

const published = spec();
describe.skipIf(published === undefined)("the spec beside the checkout", () => {
  const statements = statementsOf(published ?? "");
  const said = quotes.map(({ quote }) => quote);

  it("has no statement that docs/sandbox.md does not quote", () => {
    const missing = statements.flatMap((statement) => {
      const sentences = unquoted(statement, said);
      return sentences.length > 0 ? [sentences.join(" … ")] : [];
    });
    expect(missing).toEqual([]);
  });

  it("says what docs/sandbox.md quotes", () => {
    expect(said.filter((quote) => !statements.some((statement) => isQuoted(quote, statement)))).toEqual([]);
  });

  it("says nothing of the service in what is left out", () => {
    const counts: Record<string, number> = {};
    for (const sentence of statements.flatMap((statement) => statement.flatMap(sentencesOf))) {
      const why = silence(sentence);
      if (why) counts[why] = (counts[why] ?? 0) + 1;
    }
    expect(counts).toEqual({
      "states that something is unknown": 17,
      "a cell without a value": 30,
      "is about the document": 8,
    });
  });
});
