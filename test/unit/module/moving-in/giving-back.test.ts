import { describe, expect, it } from "vitest";
import { readRows } from "../../../support/engine.ts";
import { CLIENT_ID, formerAccount, isWrite, Killed } from "../../../support/moving-in.ts";

describe("an imported account", () => {
  it("is given back as it was, and is gone here; that may be said twice, and import begins anew", async () => {
    const { run, undo, state, folder, sandbox, store } = await formerAccount();
    const before = state();
    await run();
    expect(await undo()).toMatchObject([{ outcome: "given back", logins: [{}, {}] }]);
    expect(state()).toEqual(before);
    expect(sandbox.calls.totals().faults).toBe(0);
    expect(await readRows(folder, ["account", "channel"])).toEqual({ account: [], channel: [] });
    const acts = await store.audit.list({ limit: 9 });
    expect(acts.map(({ action }) => action)).toEqual(["account given back"]);
    expect(await undo()).toEqual([]);
    expect(await run()).toMatchObject([{ outcome: "imported" }]);
  });

  it("is only looked at by a dry run", async () => {
    const { run, undo, state, calls, folder } = await formerAccount();
    await run();
    const [before, rows] = [state(), await readRows(folder, ["account", "channel", "note", "audit"])];
    calls.length = 0;
    expect(await undo({ dryRun: true })).toMatchObject([{ outcome: "given back" }]);
    expect(calls.filter(isWrite)).toEqual([]);
    expect(state()).toEqual(before);
    expect(await readRows(folder, ["account", "channel", "note", "audit"])).toEqual(rows);
  });

  it("is back whole after a kill at any call, once it is given back again; an import that was killed is, too", async () => {
    for (const stage of ["import", "undo"] as const)
      for (let after = 0; ; after++) {
        const { run, undo, state, killing } = await formerAccount();
        const before = state();
        if (stage === "import") killing.after = after;
        const killed = await run().catch((error) => error);
        if (stage === "undo") killing.after = after;
        const [half] = await Promise.allSettled([stage === "undo" ? undo() : Promise.resolve()]);
        const isKilled = killed instanceof Killed || half?.status === "rejected";
        killing.after = Number.POSITIVE_INFINITY;
        await undo();
        expect(state(), `${stage} ${after}`).toEqual(before);
        if (!isKilled) break;
      }
  });

  it("is kept while messages of it wait, unless they may be lost; what it has added here must go first", async () => {
    const { run, undo, state, store } = await formerAccount();
    const before = state();
    await run();
    const account = await store.accounts.byClientId(CLIENT_ID);
    const [channel] = await store.channels.list(account?.id as never);
    if (!account || !channel) throw new Error("it is not here");
    const act = { type: "read", chat: "1", messengerMessageId: "1:1" } as never;
    await store.outbox.acceptOutbound(channel, { key: "k", act, patienceMs: 60_000 } as never);
    expect(await undo()).toMatchObject([{ outcome: "refused", why: "1 message has not been delivered yet" }]);
    expect(state()).not.toEqual(before);
    const own = await store.channels.add(account.id, { kind: "telegram", name: "New", settings: {} });
    expect(await undo({ force: true })).toMatchObject([{ why: "its channel New was added here since" }]);
    await store.channels.setState(own.id, "removed");
    expect(await undo({ force: true })).toMatchObject([{ outcome: "given back" }]);
    expect(state()).toEqual(before);
  });
});
