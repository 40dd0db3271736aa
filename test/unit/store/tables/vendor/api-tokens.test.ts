import { describe, expect, it } from "vitest";
import { ENGINES, oneChannelOn } from "../../../../support/engines.ts";

describe.each(ENGINES)("tokens of the API on $name", (engine) => {
  it("are known by a hash only, until they are removed, and their use is recorded by the hour", async () => {
    const { store, clock, rows } = await oneChannelOn(engine);
    const { apiTokens } = store;
    const token = (await apiTokens.add("ours", ["accounts:read"])) ?? "";
    expect(token).toMatch(/^gw_[\w-]{40,}$/);
    expect(await apiTokens.add("ours", [])).toBeUndefined();
    expect(JSON.stringify(await rows("api_token"))).not.toContain(token.slice(3));
    const hour = Math.floor(clock.now() / 3_600_000) * 3_600_000;
    expect(await apiTokens.list()).toEqual([
      { name: "ours", scopes: ["accounts:read"], createdAt: clock.now(), usedAt: undefined },
    ]);
    expect(await apiTokens.find(token)).toMatchObject({ name: "ours", scopes: ["accounts:read"] });
    for (const wrong of ["", "wrong", token.slice(0, -1), token.toUpperCase()])
      expect(await apiTokens.find(wrong)).toBeUndefined();
    expect((await apiTokens.list()).map(({ usedAt }) => usedAt)).toEqual([hour]);
    clock.leap(3_600_000);
    await apiTokens.find(token);
    expect((await apiTokens.list()).map(({ usedAt }) => usedAt)).toEqual([hour + 3_600_000]);
    expect([await apiTokens.remove("ours"), await apiTokens.remove("ours")]).toEqual([true, false]);
    expect(await apiTokens.find(token)).toBeUndefined();
    const acts = (await store.audit.list({ limit: 9 })).filter(({ detail }) => detail.token === "ours");
    expect(acts.map(({ actor, action }) => [actor, action])).toEqual([
      ["operator", "API token removed"],
      ["operator", "API token added"],
    ]);
  });
});
