import { describe, expect, it, onTestFinished } from "vitest";
import { type Operation, REFUSALS, refuses } from "../../src/gateway/sending.ts";
import { LONG } from "../../test/support/long.ts";
import type { Exchange } from "../src/calls.ts";
import { findingsOn } from "../src/conformance/conformance.ts";
import { mutations } from "../src/conformance/mutations.ts";
import { printReport, totalsOf } from "../src/conformance/report.ts";
import { setStage } from "../src/conformance/stage.ts";

async function stage(settings?: object) {
  const made = await setStage(settings);
  onTestFinished(made.close);
  return made;
}

/** A refusal by the gateway that our code would not take for one. */
function refusedOtherwise({ side, operation, status }: Exchange): string[] {
  const ofAll = status < 400 || status >= 500 || [401, 413, 429].includes(status);
  if (side !== "gateway" || ofAll || !(operation in REFUSALS)) return [];
  return refuses(operation as Operation, status) ? [] : [`${operation} ${status}`];
}

/** Each run takes less than a minute of CPU; a busy machine may give it a tenth. */
describe("the conformance run", { timeout: 900_000 }, () => {
  it("meets every operation, webhook, event, enum value and error code, and finds no fault", async () => {
    const made = await stage();
    const findings = await findingsOn(made);
    expect(new Set(made.seen.flatMap(refusedOtherwise))).toEqual(new Set());
    const lines: string[] = [];
    printReport(findings, (line) => lines.push(line));
    expect(findings.faults).toEqual([]);
    expect(findings.bent.leaks).toEqual([]);
    expect(findings.bent.sent).toBeGreaterThan(1_500);
    expect(findings.nulls.leaks).toEqual([]);
    expect(findings.nulls.sent).toBeGreaterThan(1_000);
    for (const { what, met, of } of totalsOf(findings)) expect(`${what} ${met}/${of}`).toBe(`${what} ${of}/${of}`);
    expect(findings.enums.filter((row) => row.unreachable).map(({ at }) => at)).toEqual([
      "components/schemas/WebhookType",
      "components/schemas/ChatWaitingLevel",
      "$defs/EventType",
    ]);
    expect(lines.join("\n")).not.toContain("MISSING");
  });

  it.runIf(LONG)("also passes with the unknowns set otherwise", async () => {
    const statuses = { channelStatus: 200, templateStatus: 201, moduleStatus: 201 };
    const otherwise = { emptySuccess: "nothing", unannounced: "accept", readWebhooks: "last" };
    const findings = await findingsOn(await stage({ ...statuses, ...otherwise }));
    expect([findings.faults, findings.bent.leaks, findings.nulls.leaks]).toEqual([[], [], []]);
    for (const { what, met, of } of totalsOf(findings)) expect(`${what} ${met}/${of}`).toBe(`${what} ${of}/${of}`);
  });

  it("notices an operation that never succeeds, a refused call, a lost event, and an answer or webhook that breaks the contract", async () => {
    const broken = await stage();
    await broken.control("POST", "/faults", { operation: "bot:listCommands", times: 1, status: 500 });
    await broken.control("POST", "/faults", { operation: "getTemplates", times: 1_000, status: 500 });
    const run = findingsOn(broken, []);
    broken.seen.push({
      at: 0,
      side: "gateway",
      operation: "getTemplates",
      method: "GET",
      path: "/api/transport/v1/templates",
      query: {},
      status: 200,
      ms: 0,
      faults: ["answer: (body) must be array"],
      request: undefined,
      answer: {},
    });
    broken.received.push({ type: "never emitted" });
    broken.withoutClientId.push("message_sent");
    const findings = await run;
    const { faults, operations } = findings;
    const lines: string[] = [];
    printReport(findings, (line) => lines.push(line));
    expect(lines.find((line) => line.includes("getTemplates"))).toContain("MISSING");
    expect(totalsOf(findings)[1]).toMatchObject({ met: 20, of: 21 });
    expect([...faults].sort()).toEqual([
      "bot listCommands: refused with 500 (planned fault)",
      "gateway getTemplates: answer: (body) must be array",
      "gateway getTemplates: refused with 500 (planned fault)",
      expect.stringContaining("socket: the socket carried"),
      "webhook message_sent: ClientId is not the module's",
    ]);
    // Refused once, else successful.
    expect(operations.find(({ id }) => id === "listCommands")?.ok).toBeGreaterThan(0);
  });
});

describe("a mutated body", () => {
  it("exists for each rule that a valid one can break, and leaves the valid one alone", () => {
    const schema = {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", minLength: 1, maxLength: 3 },
        kind: { enum: ["a"] },
        many: { type: "array", maxItems: 1, items: { $ref: "#/item" } },
      },
    };
    const valid = { name: "abc", kind: "a", many: [{ id: 1 }] };
    const item = { type: "object", required: ["id"], properties: { id: { type: "integer", "x-nonzero": true } } };
    const bent = mutations(schema, valid, () => item);
    expect(bent.map(({ how }) => how)).toEqual([
      "the body is a list",
      "(body) is no object",
      "name is missing",
      "name is a number",
      "name is too long",
      "name is empty",
      "kind is no listed value",
      "many is no list",
      "many has too many",
      "many.0 is no object",
      "many.0.id is missing",
      "many.0.id is a word",
      "many.0.id is zero",
    ]);
    expect(bent.at(-1)?.body).toEqual({ ...valid, many: [{ id: 0 }] });
    expect(valid).toEqual({ name: "abc", kind: "a", many: [{ id: 1 }] });
  });
});
