import { describe, expect, it, onTestFinished } from "vitest";
import { listening } from "../../../../test/support/listening.ts";
import { createTelegram, HARBOUR_BOT_TOKEN, LIGHTHOUSE_BOT_TOKEN } from "../../emulator/telegram.ts";
import type { Update } from "../../emulator/wire.ts";
import { HARBOUR, kindsOf, ROBIN, stage, until, WREN } from "./stage.ts";

async function opened() {
  const set = await stage();
  const { phone } = set.telegram;
  const says = (text: string) => phone.send(ROBIN, HARBOUR, { text })[0] ?? 0;
  const updates = async (parameters: object = {}) => (await set.call<Update[]>("getUpdates", parameters)).result;
  const waits = () => until(() => set.telegram.world.bots.get(HARBOUR)?.queue.endPoll !== undefined);
  return { ...set, phone, says, updates, waits };
}

describe("getUpdates", () => {
  it("forgets what is below the offset and counts a negative one from the end", async () => {
    const { says, updates } = await opened();
    for (const text of ["a", "b", "c", "d"]) says(text);
    const all = await updates();
    const first = all[0]?.update_id ?? 0;
    expect(all.map(({ update_id }) => update_id - first)).toEqual([0, 1, 2, 3]);
    expect(await updates({ limit: 1 })).toHaveLength(1);
    expect(await updates({ offset: first + 1 })).toHaveLength(3);
    expect((await updates({ offset: -1 })).map(({ update_id }) => update_id - first)).toEqual([3]);
    expect(await updates()).toHaveLength(1);
    expect(await updates({ offset: first + 4 })).toEqual([]);
  });

  it("waits for the next update until its timeout", async () => {
    const { says, updates, clock, waits } = await opened();
    const waiting = updates({ timeout: 30 });
    await waits();
    says("late");
    expect(await waiting).toHaveLength(1);
    const [last] = await updates();
    const idle = updates({ offset: (last?.update_id ?? 0) + 1, timeout: 30 });
    await waits();
    clock.jump(30_000);
    expect(await idle).toEqual([]);
  });

  it("ends an older call, and is refused while a webhook is set", async () => {
    const { call, says, waits } = await opened();
    const older = call("getUpdates", { timeout: 30 });
    await waits();
    const younger = call("getUpdates", { timeout: 30 });
    expect(await older).toMatchObject({
      error_code: 409,
      description: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    });
    says("hello");
    expect((await younger).ok).toBe(true);
    await call("setWebhook", { url: "http://127.0.0.1:1/hook" });
    expect((await call("getUpdates")).description).toContain("can't use getUpdates method while webhook is active");
  });

  it("returns reactions only on request, and remembers allowed_updates", async () => {
    const { phone, says, updates, call } = await opened();
    const id = says("a");
    phone.react(ROBIN, HARBOUR, id, "👍");
    expect(kindsOf(await updates())).toEqual(["message"]);
    await updates({ offset: -1, allowed_updates: ["message_reaction"] });
    says("b");
    phone.react(ROBIN, HARBOUR, id, null);
    expect(kindsOf(await updates())).toEqual(["message", "message_reaction"]);
    expect((await call<{ allowed_updates: string[] }>("getWebhookInfo")).result.allowed_updates).toEqual([
      "message_reaction",
    ]);
  });

  it("returns nothing of another bot's chats", async () => {
    const { origin, says } = await opened();
    says("for the harbour");
    const answer = await fetch(`${origin}/bot${LIGHTHOUSE_BOT_TOKEN}/getUpdates`);
    expect(await answer.json()).toEqual({ ok: true, result: [] });
  });

  it("keeps nothing for more than a day", async () => {
    const { says, updates, clock } = await opened();
    says("old");
    clock.jump(24 * 3600 * 1000 + 1);
    says("new");
    expect(await updates()).toHaveLength(1);
  });
});

describe("a webhook", () => {
  async function hooked(statuses: number[], parameters: object = {}) {
    const set = await opened();
    const got: { text?: string; secret?: unknown; at: number }[] = [];
    const site = await listening((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        const update = JSON.parse(body) as { message?: { text: string } };
        const secret = request.headers["x-telegram-bot-api-secret-token"];
        got.push({ text: update.message?.text, secret, at: Date.now() });
        response.statusCode = statuses.shift() ?? 200;
        response.end();
      });
    });
    const url = `${site}/hook`;
    const info = async () => (await set.call<Record<string, unknown>>("getWebhookInfo")).result;
    await set.call("setWebhook", { url, ...parameters });
    return { ...set, got, info };
  }

  it("gets each update with the secret", async () => {
    const { says, got, info } = await hooked([], { secret_token: "abc-1" });
    says("hello");
    await until(() => got.length === 1);
    expect(got[0]).toMatchObject({ text: "hello", secret: "abc-1" });
    await until(async () => (await info()).pending_update_count === 0);
  });

  it("is retried, in order when it takes one at a time", async () => {
    const { says, got, info, clock } = await hooked([500, 401], { max_connections: 1 });
    for (const text of ["a", "b", "c"]) says(text);
    const failed = (text: string) => until(async () => (await info()).last_error_message === text);
    await failed("Wrong response from the webhook: 500 Internal Server Error");
    expect((await info()).pending_update_count).toBe(3);
    clock.jump(1000);
    await failed("Wrong response from the webhook: 401 Unauthorized");
    clock.jump(2000);
    await until(() => got.length === 5);
    expect(got.map(({ text }) => text)).toEqual(["a", "a", "a", "b", "c"]);
  });

  it("is retried even when a timer fires early", async () => {
    const soon = (run: () => void) => {
      setImmediate(run);
      return () => {};
    };
    const clock = { now: () => 1_800_000_000_000, after: (_: number, run: () => void) => soon(run) };
    const telegram = createTelegram({ origin: () => "", clock });
    onTestFinished(telegram.stop);
    let asked = 0;
    const url = await listening((_, response) => {
      asked += 1;
      response.writeHead(asked === 1 ? 500 : 200).end();
    });
    await telegram.site.request(`/bot${HARBOUR_BOT_TOKEN}/setWebhook?url=${encodeURIComponent(url)}`);
    telegram.phone.send(ROBIN, HARBOUR, { text: "hello" });
    await until(() => asked === 2);
  });

  it("gets each update whole, whatever goes wrong first", async () => {
    const { says, got, control, clock, info } = await hooked([], { max_connections: 1 });
    const faults = [{ body: "half" }, { drop: "before" }, { status: 502, body: "html" }];
    for (const fault of faults) await control("faults", "POST", { method: "update", ...fault });
    says("a");
    await until(async () => (await info()).last_error_message === "Connection reset by peer");
    await until(() => {
      clock.jump(30_000);
      return got.length === 1;
    });
    expect(got[0]?.text).toBe("a");
  });

  it("that does not answer leaves the updates pending", async () => {
    const { call, says } = await opened();
    await call("setWebhook", { url: "http://127.0.0.1:9/hook" });
    says("hello");
    const info = async () => (await call<Record<string, unknown>>("getWebhookInfo")).result;
    await until(async () => (await info()).last_error_message !== undefined);
    expect(await info()).toMatchObject({ pending_update_count: 1 });
  });

  it("with an invalid URL or secret is refused", async () => {
    const { call } = await opened();
    expect((await call("setWebhook", { url: "ftp://x" })).description).toContain("bad webhook");
    const secret = { url: "https://x.example", secret_token: "a b" };
    expect((await call("setWebhook", secret)).description).toContain("secret token contains unallowed characters");
  });
});

describe("a bot in a person's own chats", () => {
  const KINDS = ["business_connection", "business_message", "edited_business_message", "deleted_business_messages"];

  it("receives both sides and writes in the owner's name while the customer wrote within a day", async () => {
    const { phone, updates, call, control, clock } = await opened();
    await updates({ allowed_updates: KINDS });
    const made = (await (await control("business", "POST", { bot: HARBOUR, owner: ROBIN })).json()) as { id: string };
    const [id = 0] = phone.send(WREN, ROBIN, { text: "Is it open?" });
    phone.send(ROBIN, WREN, { text: "Soon" });
    phone.edit(WREN, ROBIN, id, "Are you open?");
    const heard = await updates();
    expect(kindsOf(heard)).toEqual([
      "business_connection",
      "business_message",
      "business_message",
      "edited_business_message",
    ]);
    expect(heard[0]?.business_connection).toMatchObject({ id: made.id, user_chat_id: ROBIN, is_enabled: true });
    expect(heard[2]?.business_message).toMatchObject({
      business_connection_id: made.id,
      from: { id: ROBIN },
      chat: { id: WREN, type: "private" },
    });
    const parameters = { business_connection_id: made.id, chat_id: WREN };
    expect(await call("sendMessage", { ...parameters, text: "Yes" })).toMatchObject({
      result: { from: { id: ROBIN }, sender_business_bot: { id: HARBOUR }, chat: { id: WREN } },
    });
    expect((await call("readBusinessMessage", { ...parameters, message_id: id })).ok).toBe(true);
    phone.erase(WREN, ROBIN, id);
    expect(kindsOf(await updates()).at(-1)).toBe("deleted_business_messages");
    clock.jump(25 * 3600 * 1000);
    expect((await call("sendMessage", { ...parameters, text: "Hello?" })).ok).toBe(false);
  });
});

describe("groups and channels", () => {
  it("tell the bot about joining, the upgrade to a supergroup and posts", async () => {
    const { phone, updates, control } = await opened();
    const group = phone.makeGroup({ title: "Crew", people: [ROBIN, WREN], bot: HARBOUR });
    phone.send(WREN, group, { text: "hi" });
    const supergroup = phone.upgrade(group);
    phone.send(WREN, supergroup, { text: "hi again" });
    const channel = (await (await control("channels", "POST", { title: "News", bot: HARBOUR })).json()) as {
      id: number;
    };
    await control(`channels/${channel.id}/posts`, "POST", { text: "Read this" });
    const heard = await updates();
    expect(kindsOf(heard)).toEqual(["my_chat_member", ...Array(5).fill("message"), "channel_post"]);
    expect(heard.slice(3, 5).map(({ message }) => message)).toMatchObject([
      { migrate_to_chat_id: supergroup, chat: { id: group, type: "group" } },
      { migrate_from_chat_id: group, chat: { id: supergroup, type: "supergroup" } },
    ]);
  });
});
