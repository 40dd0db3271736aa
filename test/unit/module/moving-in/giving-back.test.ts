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
        const { run, undo, state, killing, folder } = await formerAccount();
        const before = state();
        if (stage === "import") killing.after = after;
        const killed = await run().catch((error) => error);
        if (stage === "undo") killing.after = after;
        const [half] = await Promise.allSettled([stage === "undo" ? undo() : Promise.resolve()]);
        const isKilled = killed instanceof Killed || half?.status === "rejected";
        killing.after = Number.POSITIVE_INFINITY;
        for (const { outcome } of await undo()) expect(outcome, `${stage} ${after}`).toBe("given back");
        expect(state(), `${stage} ${after}`).toEqual(before);
        expect(await readRows(folder, ["account", "channel"])).toEqual({ account: [], channel: [] });
        if (!isKilled) break;
      }
  });

  it("is given back although this server's address has changed since", async () => {
    const { run, undo, state, config } = await formerAccount();
    const before = state();
    await run();
    config.publicUrl = "https://moved.example";
    expect(await undo()).toMatchObject([{ outcome: "given back", logins: [{ outcome: "given back" }, {}] }]);
    expect(state()).toEqual(before);
  });

  it("is kept, and nothing is changed, while its CRM sends messages to somebody else", async () => {
    const { run, undo, state, sandbox, store } = await formerAccount();
    await run();
    const module = sandbox.world.modules.get("mg-telegram");
    if (module) module.registration = structuredClone(module.registration);
    Object.assign(module?.registration.integrations?.mgTransport ?? {}, { webhookUrl: "https://rival.example/hook" });
    const before = state();
    expect(await undo()).toMatchObject([{ outcome: "refused", why: expect.stringContaining("but to rival.example") }]);
    expect(state()).toEqual(before);
    expect(await store.accounts.list()).toHaveLength(1);
  });

  it("leaves a login whose token has changed since without a webhook: the former module would drop its messages", async () => {
    const { run, undo, state, store } = await formerAccount();
    await run();
    for (const { id: accountId } of await store.accounts.list())
      for (const { id } of await store.channels.list(accountId)) {
        const kept = JSON.parse((await store.notes.get(id, "came-from")) ?? "{}");
        const mark = { ...kept.mark, fingerprint: "of another token" };
        await store.notes.set(id, [{ key: "came-from", value: JSON.stringify({ ...kept, mark }) }]);
      }
    const left = { outcome: "left out", why: expect.stringContaining("changed since"), todo: "enter them there" };
    expect(await undo()).toMatchObject([{ outcome: "given back", logins: [left, left] }]);
    expect(
      state()
        .webhooks.slice(0, 2)
        .map(({ url }) => url),
    ).toEqual([undefined, undefined]);
  });

  it("leaves a login alone that another service has taken meanwhile", async () => {
    const { run, undo, state, sandbox } = await formerAccount();
    await run();
    const [bot] = sandbox.telegram.world.bots.values();
    if (bot) bot.queue.webhook = { url: "https://rival.example/hook", maxConnections: 40 };
    const left = { outcome: "left out", why: expect.stringContaining("(rival.example)") };
    expect(await undo()).toMatchObject([{ logins: [left, { outcome: "given back" }] }]);
    expect(state().webhooks[0]?.url).toBe("https://rival.example/hook");
  });

  it("is reported with the channels that keep other settings at the gateway, or were removed here", async () => {
    const { run, undo, sandbox, store, former } = await formerAccount();
    await run();
    const [account] = await store.accounts.list();
    const [removed] = await store.channels.list(account?.id as never);
    if (removed) await store.channels.setState(removed.id, "removed");
    sandbox.world.channels.delete(Number(former.logins[1]?.gatewayChannelId) as never);
    expect(await undo()).toMatchObject([
      {
        outcome: "given back",
        logins: [
          { outcome: "left out", why: expect.stringContaining("keeps the settings of now") },
          { name: removed?.name, outcome: "left out", why: expect.stringContaining("removed here since") },
        ],
      },
    ]);
  });

  it("is refused when the audit has lost how it was", async () => {
    const { run, undo, state, parts } = await formerAccount();
    await run();
    const before = state();
    parts.store.audit.list = async () => [];
    expect(await undo()).toMatchObject([{ outcome: "refused", why: expect.stringContaining("RETAIN_AUDIT_DAYS") }]);
    expect(state()).toEqual(before);
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
