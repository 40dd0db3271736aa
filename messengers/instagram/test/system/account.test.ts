import { callFrom } from "gangway-messenger/kit/call";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import { CHECKED } from "gangway-meta/inspecting";
import { signatureOf } from "gangway-meta/signature";
import { describe, expect, it } from "vitest";
import { webhook } from "../../../../test/system/contract/messaging.ts";
import { ACCOUNT, APP, createEmulator, TOKEN } from "../../emulator/emulator.ts";
import { message } from "../../samples/wire.ts";
import instagram from "../../src/index.ts";

const fresh = () => new AbortController().signal;
const DAY = 86_400_000;

async function account(own: object = {}) {
  const { open } = besideEmulator(instagram, createEmulator, { verifyToken: "v".repeat(43), ...own });
  const all = await open();
  const now = { ms: all.context.clock.now() };
  Object.assign(all.context, { clock: { ...all.context.clock, now: () => now.ms } });
  return {
    ...all,
    later: (ms: number) => {
      now.ms += ms;
    },
    /** A session with other settings. */
    as: (settings: unknown) => instagram.open({ ...all.context, settings: instagram.settings.parse(settings) }),
  };
}
type Renewed = { token: string; issued: string };

describe("an account of Instagram", () => {
  it("is known by its token, and subscribed with echoes and seen marks", async () => {
    const { session, emulator } = await account();
    expect(await session.identify?.(fresh())).toEqual({
      id: `instagram:${ACCOUNT.id}`,
      name: `@${ACCOUNT.username}`,
      link: `https://ig.me/m/${ACCOUNT.username}`,
    });
    await session.connect(fresh());
    const fields = emulator.platform.world.accounts[0]?.subscribed.get(APP.id);
    expect([...(fields ?? [])]).toEqual(expect.arrayContaining(["messages", "messaging_seen", "message_edit"]));
    expect([...(fields ?? [])]).not.toContain("comments");
  });

  it("says in words that the ID is another account's, and that a right is missing", async () => {
    const other = await account({ accountId: "17841400000000102" });
    await expect(other.session.identify?.(fresh())).rejects.toThrow(`of another account: ${ACCOUNT.id}`);
    const poor = await account();
    poor.emulator.core.tokens.find(TOKEN)?.rights.delete("instagram_business_manage_messages");
    await expect(poor.session.connect(fresh())).rejects.toThrow(
      "lacks a permission: instagram_business_manage_messages",
    );
  });

  it("stops at the next look once its token has lost the right to messages, has ended or is not valid", async () => {
    const lost = await account();
    await lost.session.connect(fresh());
    lost.emulator.core.tokens.find(TOKEN)?.rights.delete("instagram_business_manage_messages");
    await expect(lost.session.inspect?.(fresh())).rejects.toMatchObject({
      verdict: { type: "reconnect" },
      message: "the token lacks a permission: instagram_business_manage_messages",
    });
    for (const spoil of [{ expiresAt: 1 }, { ended: "session" }, { ended: "app" }]) {
      const ended = await account();
      await ended.session.connect(fresh());
      Object.assign(ended.emulator.core.tokens.find(TOKEN) ?? {}, spoil);
      await expect(ended.session.inspect?.(fresh())).rejects.toMatchObject({ verdict: { type: "reconnect" } });
    }
  });

  it("whose owner no longer lets apps see messages says so, and a busy Instagram is no trouble", async () => {
    const { session, emulator, context } = await account();
    await session.connect(fresh());
    emulator.core.faults.plan({ operation: "conversations", code: 100 } as never);
    expect(await session.inspect?.(fresh())).toMatch(/^Instagram does not let apps see this account's messages/);
    await context.notes.set([{ key: CHECKED, value: "" }]);
    emulator.core.faults.plan({ operation: "conversations", code: 613 } as never);
    expect(await session.inspect?.(fresh())).toBeUndefined();
  });

  it("has its address and verify token shown, unless the operator's app is used", () => {
    const settings = instagram.settings.parse({ accountId: ACCOUNT.id, token: TOKEN, appSecret: APP.secret });
    const shown = instagram.afterwards?.(settings, "https://gangway.example/m/door");
    for (const { steps = [] } of Object.values(shown ?? {})) {
      expect(steps.join("\n")).toContain("`https://gangway.example/m/door`");
      expect(steps.join("\n")).toContain(`\`${(settings as { verifyToken: string }).verifyToken}\``);
    }
    const vendors = instagram.settings.parse({ accountId: ACCOUNT.id, token: TOKEN });
    expect(instagram.afterwards?.(vendors, "https://gangway.example/m/door")).toBeUndefined();
  });

  it("refuses a webhook that is signed with the secret of the app at Meta, not of its Instagram app", async () => {
    const { session, context } = await account();
    const body = JSON.stringify(message({ text: "hello" }));
    const receipt = await session.receive(webhook(context.doorUrl, body, signatureOf("f".repeat(32), body)));
    expect([receipt.reply.status, receipt.events]).toEqual([401, []]);
  });
});

describe("a token of Instagram", () => {
  it("is dated when it is too young to be renewed, and renewed after a week", async () => {
    const { session, context, emulator, later, as } = await account();
    const own = context.settings as Renewed;
    const dated = (await session.renew?.(fresh())) as unknown as Renewed;
    expect(dated.token).toBe(own.token);
    expect(await as(dated).renew?.(fresh())).toBeUndefined();
    later(7 * DAY);
    const token = emulator.core.tokens.find(own.token);
    if (token) token.issuedAt -= 7 * DAY;
    const renewed = (await as(dated).renew?.(fresh())) as unknown as Renewed;
    expect(renewed.token).not.toBe(own.token);
    expect(emulator.core.tokens.find(renewed.token)?.nodes.has(ACCOUNT.id)).toBe(true);
    expect(await as(renewed).renew?.(fresh())).toBeUndefined();
  });

  it("never lapses in a year, through a month without Instagram and refusals of single days", async () => {
    const { context } = await account();
    const now = { ms: context.clock.now() };
    const clock = { now: () => now.ms, after: () => () => {} };
    const deliver = async () => new Response(null, { status: 503 });
    const { site, core } = createEmulator({ origin: () => "https://network.example", clock, deliver });
    const reached = callFrom(site);
    let settings = context.settings as Renewed;
    let isAway = false;
    const call: typeof reached = async (request) =>
      isAway ? { type: "failure", sent: "no", reason: "refused", detail: "" } : reached(request);
    for (let day = 0; day < 365; day++) {
      isAway = (day > 100 && day < 131) || day % 5 === 0;
      const session = instagram.open({ ...context, settings, call, clock: { ...context.clock, now: () => now.ms } });
      settings = ((await session.renew?.(fresh()).catch(() => undefined)) as Renewed | undefined) ?? settings;
      now.ms += DAY;
      expect(core.tokens.find(settings.token)?.expiresAt, `day ${day}`).toBeGreaterThan(now.ms);
    }
    expect(settings.token).not.toBe(TOKEN);
  });

  it("that was pasted anew is not taken for the old one", async () => {
    const { session, as } = await account();
    const dated = (await session.renew?.(fresh())) as unknown as Renewed;
    const pasted = as({ ...dated, token: "IGAASandboxAccountToken00000000000000000000000000000000000002" });
    expect(await pasted.renew?.(fresh())).toMatchObject({ issued: expect.not.stringContaining(dated.issued) });
  });

  it("is a trouble from its 50th day on", async () => {
    const { session, later, as } = await account();
    await session.connect(fresh());
    const dated = await session.renew?.(fresh());
    later(49 * DAY);
    expect(await as(dated).inspect?.(fresh())).toBeUndefined();
    later(DAY + 400_000);
    expect(await as(dated).inspect?.(fresh())).toMatch(/^the token expires soon: /);
  });
});
