import { describe, expect, it } from "vitest";
import avito from "../../src/index.ts";
import type { Settings } from "../../src/wire.ts";
import { fresh, talking } from "../stage.ts";

const [MINUTE, HOUR] = [60_000, 3_600_000];
const parse = (settings: unknown) => avito.settings.parse(settings) as Settings;

describe("a token", () => {
  it("is asked for once, and again shortly before its end", async () => {
    const { send, calls, later } = await talking();
    await send({}, "a");
    await send({}, "b");
    expect(calls("token")).toHaveLength(1);
    later(24 * HOUR - 4 * MINUTE);
    await send({}, "c");
    expect(calls("token")).toHaveLength(2);
    expect(calls("postSendMessage").map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("is kept with the settings, and renewed once less than half of it is left", async () => {
    const { session, settings, again, calls, later } = await talking();
    const first = parse(await session.renew?.(fresh()));
    expect(first).toMatchObject({ ...(settings as Settings), avitoGrant: expect.stringMatching(/ \d+ \w{22}$/) });
    const asked = calls("token").length;
    const restarted = again({ settings: first });
    await restarted.identify?.(fresh());
    expect(await restarted.renew?.(fresh())).toBeUndefined();
    expect(calls("token")).toHaveLength(asked);
    later(12 * HOUR + MINUTE);
    const second = parse(await again({ settings: first }).renew?.(fresh()));
    expect(second.avitoGrant).not.toBe(first.avitoGrant);
  });

  it("of credentials that somebody has replaced is not used", async () => {
    const { session, context, again, emulator } = await talking();
    const kept = parse(await session.renew?.(fresh()));
    const [, other] = emulator.world.accounts;
    const replaced = { ...kept, avitoClientId: other?.clientId, avitoClientSecret: other?.clientSecret };
    expect(await again({ settings: replaced }).identify?.(fresh())).toMatchObject({ id: `avito:${other?.id}` });
    expect(await again({ settings: kept }).identify?.(fresh())).toMatchObject({ id: "avito:141906442" });
    expect(context.settings).not.toEqual(kept);
  });

  it("never lapses in a month in which Avito is away on every third day", async () => {
    const { context, again, later, emulator } = await talking();
    let settings = context.settings as Settings;
    for (let hour = 0; hour < 30 * 24; hour++) {
      const isAway = Math.floor(hour / 8) % 3 === 0;
      const call: typeof context.call = async (request) =>
        isAway ? { type: "failure", sent: "no", reason: "refused", detail: "" } : context.call(request);
      const session = again({ settings, call });
      settings = ((await session.renew?.(fresh()).catch(() => undefined)) as Settings | undefined) ?? settings;
      later(HOUR);
      const last = emulator.tokens.list().at(-1);
      expect(settings.avitoGrant.endsWith(last?.value ?? "none"), `hour ${hour}`).toBe(hour >= 8);
      if (hour >= 8) expect(last?.until, `hour ${hour}`).toBeGreaterThan(context.clock.now());
    }
  });

  it.each(["401", "403"] as const)(
    "that Avito has ended is renewed once, and the call repeated: %s",
    async (refusedToken) => {
      const { send, emulator, calls, later, sent } = await talking();
      emulator.switches.set({ refusedToken });
      await send({}, "a");
      later(2 * MINUTE);
      emulator.tokens.end();
      await send({}, "b");
      expect(sent()).toHaveLength(2);
      expect(calls("token")).toHaveLength(2);
      expect(calls("postSendMessage").map(({ status }) => status)).toEqual([200, Number(refusedToken), 200]);
    },
  );

  it("of another process that ended ours is no death: both go on", async () => {
    const { emulator, again, later, calls } = await talking();
    emulator.switches.set({ tokens: "one" });
    const sessions = [again(), again()];
    for (let round = 0; round < 4; round++)
      for (const session of sessions) {
        later(5_000);
        expect(await session.inspect?.(fresh())).toBeUndefined();
        await session.standing?.(fresh());
        await session.readMarks?.read(
          { chat: emulator.firstChat().id as never, messengerMessageId: "m" as never },
          fresh(),
        );
      }
    expect(calls("chatRead").filter(({ status }) => status === 200)).toHaveLength(8);
  });

  it("is dead when one renewal does not help, and a harmless call says so, too", async () => {
    const { send, emulator, calls, later } = await talking();
    await send({}, "a");
    later(2 * MINUTE);
    // Whatever token, whatever call.
    const site = ["postSendMessage", "getSubscriptions"];
    for (const operation of site) emulator.faults.plan({ operation, status: 401, times: 9 });
    await expect(send({}, "b")).rejects.toMatchObject({ verdict: { type: "reconnect" } });
    expect(calls("token")).toHaveLength(2);
  });

  it("is not granted to credentials that Avito no longer takes: two refusals end the channel, one does not", async () => {
    const { emulator, again, settings } = await talking();
    const [account] = emulator.world.accounts;
    emulator.faults.plan({ operation: "token", status: 401 });
    await expect(again().identify?.(fresh())).rejects.toMatchObject({ verdict: { type: "retry" } });
    Object.assign(account ?? {}, { clientSecret: "another-secret-0000000000" });
    const error = await again()
      .identify?.(fresh())
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      verdict: { type: "reconnect" },
      message: "Avito does not accept this Client_id and Client_secret. Copy both again from Avito",
    });
    expect(String(error)).not.toContain((settings as Settings).avitoClientSecret);
  });

  it.each([
    [{ status: 502, body: "html" }, { type: "retry" }],
    [{ status: 200, body: "html" }, { type: "retry" }],
    [{ status: 403, body: "html" }, { type: "retry" }],
    [{ status: 503 }, { type: "retry" }],
    [
      { status: 429, retryAfter: 7 },
      { type: "retry", afterMs: 7_000 },
    ],
    [{ status: 429 }, { type: "retry", afterMs: 10_000 }],
  ] as const)("that cannot be had now is no death: %o", async (fault, verdict) => {
    const { emulator, again } = await talking();
    emulator.faults.plan({ operation: "token", times: 2, ...fault });
    await expect(again().identify?.(fresh())).rejects.toMatchObject({ verdict });
  });
});
