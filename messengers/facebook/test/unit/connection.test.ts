import { besideEmulator } from "gangway-messenger/kit/emulated";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { CHECKED } from "gangway-meta/inspecting";
import { signatureOf } from "gangway-meta/signature";
import { describe, expect, it } from "vitest";
import { webhook } from "../../../../test/system/contract/messaging.ts";
import { fresh, talking } from "../../../meta/test/unit/talking.ts";
import { createEmulator, PAGE, SECOND_PAGE, SECOND_TOKEN, TOKEN } from "../../emulator/emulator.ts";
import { batch } from "../../samples/wire.ts";
import facebook from "../../src/index.ts";

const VERIFY = { verifyToken: "v".repeat(43) };
const page = (own: object = {}) => talking(facebook, createEmulator, own);
const opened = (own: object = {}) => besideEmulator(facebook, createEmulator, { ...VERIFY, ...own }).open();
type Opened = Awaited<ReturnType<typeof opened>>;
const accountOf = ({ emulator }: Opened) => emulator.platform.world.accounts[0];

describe("connecting a page", () => {
  it("subscribes the page and sets the app's webhook, which Meta checks at once; removing it undoes both", async () => {
    const all = await opened();
    const { session, emulator, context } = all;
    expect(await session.identify?.(fresh())).toMatchObject({ id: `facebook:${PAGE.id}`, name: PAGE.name });
    await session.connect(fresh());
    expect(emulator.core.apps.find(DEMO_APP.id)?.webhook?.url).toBe(context.doorUrl);
    expect([...(accountOf(all)?.subscribed.get(DEMO_APP.id) ?? [])]).toContain("message_echoes");
    expect(await session.inspect?.(fresh())).toBeUndefined();
    await session.disconnect(fresh());
    expect(accountOf(all)?.subscribed.size).toBe(0);
    expect(emulator.core.apps.find(DEMO_APP.id)?.webhook).toBeUndefined();
  });

  it.each([
    ["another page's ID", { pageId: SECOND_PAGE.id }, /not of the page with this ID, but of/],
    ["a token that Meta does not know", { token: `EAA${"x".repeat(40)}` }, /does not accept this token/],
  ])("says in words what is wrong with %s", async (_, own, words) => {
    const { session } = await opened(own);
    await expect(session.identify?.(fresh())).rejects.toThrow(words);
  });

  it("says in words what is wrong with another app's secret, a right that is missing, and a secret that is", async () => {
    const wrong = await opened({ appSecret: "0123456789abcdef0123456789abcdef" });
    await expect(wrong.session.connect(fresh())).rejects.toThrow(/app secret is not of the app/);
    expect(accountOf(wrong)?.subscribed.size).toBe(0);
    const poor = await opened();
    poor.emulator.core.tokens.find(TOKEN)?.rights.delete("pages_manage_metadata");
    await expect(poor.session.connect(fresh())).rejects.toThrow("lacks a permission: pages_manage_metadata");
    const without = await opened({ appSecret: "" });
    await expect(without.session.identify?.(fresh())).rejects.toThrow(/app secret is missing/);
  });

  it("leaves another server its webhook, unless it may take it over, and says who has it", async () => {
    const away = { url: "https://elsewhere.example/hook", verifyToken: "x".repeat(20) };
    const polite = await opened();
    Object.assign(polite.emulator.core.apps.find(DEMO_APP.id) ?? {}, { webhook: away });
    await expect(polite.session.connect(fresh())).rejects.toThrow(/another server receives .*elsewhere\.example/);
    expect(accountOf(polite)?.subscribed.size).toBe(0);
    const bold = await opened({ takeOver: true });
    Object.assign(bold.emulator.core.apps.find(DEMO_APP.id) ?? {}, { webhook: away });
    await bold.session.connect(fresh());
    expect(bold.emulator.core.apps.find(DEMO_APP.id)?.webhook?.url).toBe(bold.context.doorUrl);
  });

  it("undoes the page's subscription when Meta does not accept the address", async () => {
    const all = await opened();
    Object.assign(all.context, {
      doorUrl: "https://gangway.example/m/nobody",
      settings: { ...(all.context.settings as object), verifyToken: "w".repeat(43) },
    });
    const other = facebook.open(all.context);
    await expect(other.connect(fresh())).rejects.toThrow(/not accepted this server's address/);
    expect(accountOf(all)?.subscribed.size).toBe(0);
  });

  it.each<[string, object | undefined]>([
    ["that Meta tells of", undefined],
    ["of which Meta tells nothing", { operation: "debugToken", code: 100, times: 9 }],
  ])("stops at the next look once a token %s has lost the right to messages", async (_, silence) => {
    const shop = await page();
    if (silence) shop.emulator.core.faults.plan(silence as never);
    expect(await shop.session.inspect?.(fresh())).toBeUndefined();
    await shop.context.notes.set([{ key: CHECKED, value: "" }]);
    shop.emulator.core.tokens.find(TOKEN)?.rights.delete("pages_messaging");
    await expect(shop.session.inspect?.(fresh())).rejects.toMatchObject({
      verdict: { type: "reconnect" },
      message: "the token lacks a permission: pages_messaging",
    });
  });

  it("lets the operator's app ask about a token of which its owner may not", async () => {
    const opened = await besideEmulator(facebook, createEmulator, { ...VERIFY, appSecret: "" }).open();
    const { context } = opened;
    const { call } = context;
    const app = { META_APP_ID: DEMO_APP.id, META_APP_SECRET: DEMO_APP.secret, META_VERIFY_TOKEN: "v".repeat(43) };
    const asked: (string | undefined)[] = [];
    Object.assign(context, {
      server: { ...context.server, ...app },
      call: (request: Parameters<typeof call>[0]) => {
        if (request.url.includes("/debug_token")) asked.push(request.headers?.authorization);
        return call(request);
      },
    });
    const session = facebook.open(context);
    expect(await session.groups?.(fresh())).toHaveLength(1);
    expect(asked).toEqual([`Bearer ${DEMO_APP.id}|${DEMO_APP.secret}`]);
    // A wrong secret of the operator's: the token asks for itself.
    const wrong = { ...context, server: { ...context.server, META_APP_ID: "1" } };
    expect(await facebook.open(wrong).groups?.(fresh())).toHaveLength(1);
    expect(asked.slice(1)).toEqual([`Bearer 1|${DEMO_APP.secret}`, `Bearer ${TOKEN}`]);
  });

  it.each([{ expiresAt: 1 }, { ended: "session" }, { ended: "app" }])(
    "stops at the next look once its token has ended (%j)",
    async (spoil) => {
      const shop = await page();
      Object.assign(shop.emulator.core.tokens.find(TOKEN) ?? {}, spoil);
      await expect(shop.session.inspect?.(fresh())).rejects.toMatchObject({ verdict: { type: "reconnect" } });
    },
  );

  it("notices that somebody has removed the subscription, looking every few minutes", async () => {
    const shop = await page();
    shop.emulator.platform.world.accounts[0]?.subscribed.clear();
    expect(await shop.session.inspect?.(fresh())).toMatch(/somebody has removed the subscription/);
    await shop.session.connect(fresh());
    shop.later(1_000_000);
    expect(await shop.session.inspect?.(fresh())).toBeUndefined();
  });
});

describe("a batch at a channel's door", () => {
  const entries = (count: number, pageId: string) =>
    Array.from({ length: count }, (_, n) => ({
      id: pageId,
      time: n,
      messaging: [
        {
          sender: { id: `2450000000000${1000 + (n % 7)}` },
          recipient: { id: pageId },
          timestamp: 1_764_000_000_000 + n,
          message: { mid: `m_${n}`, text: "ahoy ".repeat(550) },
        },
      ],
    }));
  const signed = (doorUrl: string, body: string) => webhook(doorUrl, body, signatureOf(DEMO_APP.secret, body));

  it("of 1,000 entries and almost 3 MiB is read whole", async () => {
    const { session, context } = await page();
    const body = JSON.stringify(batch(...entries(1_000, PAGE.id)));
    expect(body.length).toBeGreaterThan(2.8 * 1024 * 1024);
    expect(body.length).toBeLessThan(facebook.bodyLimit(""));
    const { events } = await session.receive(signed(context.doorUrl, body));
    expect(events.map(({ key }) => key)).toEqual(Array.from({ length: 1_000 }, (_, n) => `message:m_${n}`));
  });

  it("has parts of other pages handed on, each signed anew, and nothing of them read here", async () => {
    const { session, context } = await page();
    const body = JSON.stringify(batch(...entries(2, PAGE.id), ...entries(1, SECOND_PAGE.id)));
    const { events, others } = await session.receive(signed(context.doorUrl, body));
    expect(events).toHaveLength(2);
    expect(others?.map(({ login }) => login)).toEqual([`facebook:${SECOND_PAGE.id}`]);
    const sibling = besideEmulator(facebook, createEmulator, {
      ...VERIFY,
      pageId: SECOND_PAGE.id,
      token: SECOND_TOKEN,
    });
    const other = await sibling.open();
    const [part] = others ?? [];
    const request = new Request(other.context.doorUrl, {
      method: "POST",
      body: part?.request.body,
      headers: part?.request.headers,
    });
    expect((await other.session.receive(request)).events).toHaveLength(1);
  });

  it("keeps the digits of ids that are longer than a double", async () => {
    const { session, context } = await page();
    const text = JSON.stringify(batch(...entries(1, PAGE.id))).replace(
      /"id":"(2450000000000\d+)"/,
      '"id":24500000000000017',
    );
    const { events } = await session.receive(signed(context.doorUrl, text));
    expect(events).toMatchObject([{ chat: "24500000000000017" }]);
  });
});
