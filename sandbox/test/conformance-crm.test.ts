import { describe, expect, it, onTestFinished } from "vitest";
import type { Area } from "../src/conformance/crm/area.ts";
import { AREAS } from "../src/conformance/crm/areas.ts";
import { choicesIn, withValue } from "../src/conformance/crm/choices.ts";
import { driveCrm } from "../src/conformance/crm/drive.ts";
import { crmTotals, printCrm } from "../src/conformance/crm/report.ts";
import { boundary, held, invalid, strange } from "../src/conformance/crm/values.ts";
import { setStage } from "../src/conformance/stage.ts";
import { servedContract } from "../src/crm/contract.ts";

const BOOK = { name: "Colours", elements: [{ name: "Red", code: "red" }] };
const BOOKS: Area["operations"] = {
  customFieldsDictionariesCreate: { form: { customDictionary: { ...BOOK, code: "colours" } } },
  customFieldsDictionaries: {},
};

async function driven(operations: Area["operations"], setting: Area["setting"] = []) {
  const stage = await setStage();
  onTestFinished(stage.close);
  const findings = await driveCrm(stage, [{ setting, operations }]);
  const lines: string[] = [];
  printCrm(findings, (line) => lines.push(line));
  const missing = (id: string) => findings.rows.filter((row) => row.operation === id && !row.met && !row.why);
  return { ...findings, missing, report: lines.join("\n") };
}

describe("the areas of the CRM's whole API", () => {
  it("have a scenario for each served operation and for no other", () => {
    const served = servedContract().flatMap(([, { paths }]) =>
      Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => String(operationId))),
    );
    expect(AREAS.flatMap(({ operations }) => Object.keys(operations)).sort()).toEqual(served.sort());
  });
});

describe("driving the CRM's whole API", () => {
  it("meets all that a scenario's operation has, and reports each other as not driven", async () => {
    const run = await driven(BOOKS);
    expect(run.faults).toEqual([]);
    expect(run.bent).toEqual({ sent: expect.any(Number), leaks: [] });
    expect(run.bent.sent).toBeGreaterThan(3);
    expect([...run.missing("customFieldsDictionaries"), ...run.missing("customFieldsDictionariesCreate")]).toEqual([]);
    const [unmet] = run.missing("tasksList");
    expect(unmet).toEqual({ operation: "tasksList", kind: "operation", name: "tasksList", met: false });
    expect(run.report).toContain("not driven: finding ?filter[performers][]");
    expect(crmTotals(run)[0]).toMatchObject({ what: "operations of the CRM's whole API", met: 2 });
    expect(crmTotals(run).at(-1)).toEqual({ what: "… calls to modules", met: 5, of: 5 });
  });

  it("notices a filter that finds nothing, one that finds what it should not, and a call that is refused", async () => {
    const wrong = { finds: { "filter[name]": "Sizes" }, findsNot: { "filter[code]": "colours" } };
    const run = await driven({
      ...BOOKS,
      customFieldsDictionaries: wrong,
      customFieldsCreate: { path: { entity: "order" }, form: { customField: { name: "No code" } } },
    });
    expect(run.missing("customFieldsDictionaries").map(({ kind, name, got }) => [kind, name, got])).toEqual([
      ["parameter", "?filter[name]", "nothing found with Sizes"],
      ["empty", "?filter[code]", "1 found with colours"],
    ]);
    expect(run.faults).toEqual([expect.stringContaining("customFieldsCreate called: refused with 400")]);
  });

  it("notices an excuse for what is met or expected by nothing, a step that fails, and a name that nothing keeps", async () => {
    const never = { "?filter[code]": "no source", "?limit": "no source", "400 ?page is invalid": "no source" };
    const run = await driven(
      {
        ...BOOKS,
        customFieldsDictionaries: { never: { ...never, "?filter[x]": "no source" } },
        tasksGet: { path: { id: "$task" } },
      },
      [{ call: "tasksCreate", form: { task: {} } }],
    );
    expect(run.faults).toEqual([
      expect.stringContaining("setting: tasksCreate is refused with 400"),
      "customFieldsDictionaries: excuses ?filter[x], which nothing expects",
      "tasksGet: nothing is kept as $task",
      "customFieldsDictionaries: excuses 400 ?page is invalid, which is met",
    ]);
    expect(run.report).toContain("not provoked, no source: customFieldsDictionaries ?limit");
  });

  it("notices an answer that breaks the contract", async () => {
    const stage = await setStage();
    onTestFinished(stage.close);
    stage.running.sandbox.world.customDictionaries.set("odd", { code: 7 });
    const { faults, rows } = await driveCrm(stage, [{ operations: BOOKS }]);
    expect(faults).toContain("customFieldsDictionaries: answer: /customDictionaries/0/code must be string");
    expect(rows.find(({ kind, name }) => kind === "operation" && name === "customFieldsDictionaries")?.met).toBe(false);
  });
});

describe("the choices of a form", () => {
  const kind = { enum: ["a", "b"] };
  const node = { properties: { kind, state: { enum: ["x"], "x-dir": "R" }, children: { items: { $ref: "#/node" } } } };

  it("are all enumerations that a writer may set, once each", () => {
    const paths = choicesIn({ properties: { nodes: { items: { $ref: "#/node" } } } }, () => node);
    expect(paths).toEqual([{ path: ["nodes", "0", "kind"], values: ["a", "b"] }]);
  });

  it("are set in a copy that has what was missing on the way", () => {
    const form = { name: "n", nodes: [{ id: 1 }, { id: 2 }] };
    expect(withValue(form, ["nodes", "0", "kind"], "a")).toEqual({
      name: "n",
      nodes: [{ id: 1, kind: "a" }, { id: 2 }],
    });
    expect(withValue({}, ["order", "items", "0", "kind"], "b")).toEqual({ order: { items: [{ kind: "b" }] } });
    expect(form.nodes[0]).toEqual({ id: 1 });
  });
});

describe("the values for a parameter", () => {
  const text = { type: "string" };
  const filter = (name: string, schema: object = text) => ({ name: `filter[${name}]`, schema: { ...schema } });
  const day = { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" };

  it("let a boundary pass everything, or nothing", () => {
    expect(boundary(filter("createdAtFrom", day))).toEqual({ all: "1990-01-01", none: "2100-01-01" });
    expect(boundary(filter("createdAtTo", day))).toEqual({ all: "2100-01-01", none: "1990-01-01" });
    expect(boundary(filter("maxOrdersCount", { type: "integer" }))).toEqual({ all: "999999999" });
    expect(boundary(filter("name"))).toBeUndefined();
  });

  it("come from the entries, also of what they refer to", () => {
    const entries = [{ id: 3, customer: { id: 7, externalId: "c" }, tags: [{ name: "vip" }], group: { code: "g" } }];
    const of = (name: string) => held(entries, filter(name));
    expect([of("ids"), of("customerIds"), of("customerExternalIds"), of("tags"), of("groups"), of("x")]).toEqual([
      ["3"],
      ["7"],
      ["c"],
      ["vip"],
      ["g"],
      [],
    ]);
  });

  it("are strange or invalid where the schema has such", () => {
    expect([strange(filter("a")), strange(filter("a", { enum: ["x"] }))]).toEqual(["no-such-value", undefined]);
    expect([invalid(filter("a")), invalid(filter("a", day)), invalid({ name: "limit", schema: {} })]).toEqual([
      undefined,
      "perhaps",
      "30",
    ]);
  });
});
