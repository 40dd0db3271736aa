import { describe, expect, it } from "vitest";
import { ENGINES, oneChannelOn } from "../../../../support/engines.ts";

const HOUR_MS = 3_600_000;

describe.each(ENGINES)("a session, on $name,", (engine) => {
  it("ends after twelve idle hours, however long it has been used", async () => {
    const { store, clock, account } = await oneChannelOn(engine);
    const token = await store.webSessions.start(account.id);
    const isOpen = async () => (await store.webSessions.byToken(token))?.accountId === account.id;
    for (let hour = 0; hour < 30; hour += 6) {
      clock.leap(6 * HOUR_MS);
      expect(await isOpen()).toBe(true);
    }
    clock.leap(12 * HOUR_MS);
    expect(await isOpen()).toBe(false);
    expect(await isOpen()).toBe(false);
  });

  it("that looks on is not used: it ends when it would have", async () => {
    const { store, clock, account } = await oneChannelOn(engine);
    const token = await store.webSessions.start(account.id);
    clock.leap(7 * HOUR_MS);
    expect(await store.webSessions.byToken(token, false)).toMatchObject({ accountId: account.id });
    clock.leap(6 * HOUR_MS);
    expect(await store.webSessions.byToken(token)).toBeUndefined();
  });

  it("is listed with the others, and ended alone or with all but one; its token is nowhere in the database", async () => {
    const { store, clock, account, rows } = await oneChannelOn(engine);
    const tokens: string[] = [];
    for (const browser of ["Firefox", undefined, "Safari"]) {
      tokens.push(await store.webSessions.start(account.id, browser));
      clock.leap(1_000);
    }
    const [first = "", second = "", third = ""] = tokens;
    const listed = async () => (await store.webSessions.list(account.id)).map(({ browser }) => browser);
    expect(await listed()).toEqual(["Safari", undefined, "Firefox"]);
    const stored = JSON.stringify(await rows("web_session"));
    for (const token of tokens) expect(stored).not.toContain(token);
    const id = async (token: string) => (await store.webSessions.byToken(token))?.id ?? "";
    expect(await store.webSessions.endOf(account.id, { id: await id(second) })).toBe(1);
    expect(await listed()).toEqual(["Safari", "Firefox"]);
    expect(await store.webSessions.endOf(account.id, { allBut: await id(first) })).toBe(1);
    expect(await store.webSessions.byToken(third)).toBeUndefined();
    await store.webSessions.end(first);
    expect(await listed()).toEqual([]);
  });

  it("for the vendor's support opens once, and ends ten minutes after its link was made, however it is used", async () => {
    const { store, clock, account, rows } = await oneChannelOn(engine);
    const by = (action: string) => ({ actor: "operator" as const, action });
    const link = await store.webSessions.startSupport(account.id, 600_000, by("made"));
    expect(await store.webSessions.byToken(link), "the link is no session").toBeUndefined();
    expect(await store.webSessions.list(account.id), "nor listed as one").toEqual([]);
    clock.leap(60_000);
    const opened = await store.webSessions.redeem(link, by("opened"));
    expect(opened?.accountId).toBe(account.id);
    expect(await store.webSessions.redeem(link, by("opened again"))).toBeUndefined();
    const token = opened?.token ?? "";
    expect(await store.webSessions.redeem(token, by("opened again"))).toBeUndefined();
    const endsAt = clock.now() + 540_000;
    expect(await store.webSessions.byToken(token)).toMatchObject({ accountId: account.id, endsAt });
    expect(await store.webSessions.list(account.id)).toMatchObject([{ usedAt: clock.now(), endsAt }]);
    for (let minute = 1; minute < 9; minute++) {
      clock.leap(60_000);
      expect((await store.webSessions.byToken(token))?.endsAt).toBe(endsAt);
    }
    clock.leap(60_000);
    expect(await store.webSessions.byToken(token)).toBeUndefined();
    const stored = JSON.stringify(await rows("web_session"));
    for (const secret of [link, token]) expect(stored).not.toContain(secret);
    const acts = await store.audit.list({ accountId: account.id, limit: 9 });
    expect(acts.map(({ action }) => action).slice(0, 2)).toEqual(["opened", "made"]);
    const late = await store.webSessions.startSupport(account.id, 600_000, by("made"));
    clock.leap(600_000);
    expect(await store.webSessions.redeem(late, by("opened"))).toBeUndefined();
  });
});
