import { describe, expect, it } from "vitest";
import { standingOf, tierOf } from "../../../src/connecting/standing.ts";
import { fresh, staged } from "../stage.ts";

describe("what Meta says of a number", () => {
  it("is told to the shop and to the gateway", async () => {
    const { session, number } = await staged();
    Object.assign(number, { quality: "RED", status: "FLAGGED", tier: "TIER_10K" });
    const told = await session.standing?.(fresh());
    expect(told?.whatsapp).toEqual({ tier: 10_000, quality: "low", status: "flagged" });
    const spanish = told?.facts.map(({ name, value }) => [name.es, typeof value === "string" ? value : value.es]);
    expect(spanish).toEqual([
      ["Nombre verificado", "Quay & Co."],
      ["Número", "+1 555-010-0142"],
      ["Calidad", "Baja"],
      ["Clientes nuevos a los que puede escribir en 24 horas", "10.000"],
      ["Estado", "Marcado: los clientes denuncian sus mensajes"],
    ]);
    expect(told?.facts.map(({ isBad }) => isBad === true)).toEqual([false, false, true, false, true]);
  });

  it.each([
    ["TIER_50", 50],
    ["TIER_250", 250],
    ["TIER_2K", 2_000],
    ["TIER_100K", 100_000],
    ["TIER_UNLIMITED", 0],
    ["TIER_OF_TOMORROW", undefined],
  ])("has the limit %s as %s", (tier, limit) => {
    expect(tierOf(tier)).toBe(limit);
  });

  it("comes without the limit once Meta no longer knows that field, which nothing else asks for", async () => {
    const { session, core } = await staged();
    await session.identify?.(fresh());
    await session.connect(fresh());
    const asked = core.journal.entries().filter(({ operation }) => operation === "getNode");
    expect(asked.length).toBeGreaterThan(0);
    expect(JSON.stringify(asked.map(({ query }) => query))).not.toContain("messaging_limit_tier");
    core.faults.plan({ operation: "getNode", code: 100 } as never);
    const told = await session.standing?.(fresh());
    expect(told?.whatsapp).toEqual({ tier: undefined, quality: "high", status: "connected" });
  });

  it("leaves out what Meta does not say", () => {
    expect(standingOf({ id: "1" } as never)).toEqual({ facts: [], whatsapp: {} });
  });
});
