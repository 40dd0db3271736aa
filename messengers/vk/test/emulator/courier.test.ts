import { seeded } from "gangway-messenger/kit/emulator/random";
import { describe, expect, it } from "vitest";
import { handClock } from "../../../../test/support/clock.ts";
import { COMMUNITY, createEmulator, TOKEN } from "../../emulator/emulator.ts";

const START = Date.UTC(2026, 10, 29, 12);

/** The emulator and a module's door, whose answers the test gives. */
async function scene(answers: (n: number) => Response) {
  const clock = handClock(START);
  const came: { at: number; body: Record<string, unknown>; again: string | null }[] = [];
  const emulator = createEmulator({
    ...{ origin: () => "https://vk.example", clock, random: seeded(5) },
    async deliver(request) {
      const body = (await request.json()) as Record<string, unknown>;
      const [community] = emulator.core.world.communities;
      if (body.type === "confirmation") return new Response(community?.confirmation);
      came.push({ at: clock.now() - START, body, again: request.headers.get("x-retry-counter") });
      return answers(came.length);
    },
  });
  const call = async (method: string, params: Record<string, string> = {}) => {
    const body = new URLSearchParams({ access_token: TOKEN, v: "5.199", ...params });
    const answer = await emulator.site.request(`/method/${method}`, { method: "POST", body });
    return (await answer.json()) as { response?: never; error?: { error_code: number; error_msg: string } };
  };
  const group_id = String(COMMUNITY.id);
  const address = { group_id, url: "https://module.example/m/door", title: "Gangway abcdef", secret_key: "s3cret" };
  await call("groups.addCallbackServer", address);
  await call("groups.setCallbackSettings", { group_id, server_id: "1", message_new: "1", message_reply: "1" });
  const says = (text: string) => emulator.customers.says(emulator.chat(), { text });
  return { emulator, clock, came, call, says, group_id };
}
const ok = () => new Response("ok");

describe("an event of VK's", () => {
  it.each([
    ["another text", () => new Response("OK")],
    ["a line more", () => new Response("ok\n")],
    ["a byte order mark", () => new Response(new Uint8Array([0xef, 0xbb, 0xbf, 0x6f, 0x6b]))],
    ["nothing", () => new Response("")],
    ["a page", () => new Response("<html>")],
    ["another status", () => new Response("ok", { status: 201 })],
    ["a failure", () => new Response("ok", { status: 500 })],
  ])("comes again after %s, with the same event_id and a count", async (_, wrong) => {
    const { says, came, clock } = await scene((n) => (n < 3 ? wrong() : ok()));
    await says("hello");
    await clock.forward(60_000);
    expect(came.map(({ again }) => again)).toEqual([null, "1", "2"]);
    expect(new Set(came.map(({ body }) => body.event_id)).size).toBe(1);
    expect(came[0]?.body).toMatchObject({ type: "message_new", group_id: COMMUNITY.id, secret: "s3cret", v: "5.199" });
  });

  it.each([410, 429, 503])(
    "waits as a %i asks, in an HTTP date, and not as seconds or for more than three hours",
    async (status) => {
      const later = (ms: number) => new Date(START + ms).toUTCString();
      const asks = [later(600_000), "900", later(4 * 3_600_000)];
      const { says, came, clock } = await scene((n) => {
        const wish = asks[n - 1];
        return wish ? new Response(null, { status, headers: { "retry-after": wish } }) : ok();
      });
      await says("hello");
      await clock.forward(700_000);
      expect(came.map(({ at }) => at)).toEqual([0, 600_000, 602_000, 606_000]);
    },
  );

  it("is withheld, doubled and held back as the switches say", async () => {
    const withheld = await scene(ok);
    withheld.emulator.core.switches.set({ withheld: 0.05 });
    for (let n = 0; n < 400; n++) await withheld.says(`${n}`);
    expect(400 - withheld.came.length).toBeGreaterThan(8);
    expect(400 - withheld.came.length).toBeLessThan(40);
    const doubled = await scene(ok);
    doubled.emulator.core.switches.set({ duplicates: 1, disorder: 0.5 });
    for (const text of ["a", "b", "c", "d"]) await doubled.says(text);
    await doubled.clock.forward(30_000);
    const texts = doubled.came.map(({ body }) => (body.object as { message: { text: string } }).message.text);
    expect(new Set(texts)).toEqual(new Set(["a", "b", "c", "d"]));
    expect(texts.length).toBeGreaterThan(7);
    expect(texts.slice(0, 4).join("")).not.toBe("abcd");
  });

  it("comes only to a server that is confirmed and has asked for it", async () => {
    const { emulator, came, call, group_id } = await scene(ok);
    await emulator.customers.denies(emulator.chat());
    expect(came).toEqual([]);
    await call("groups.deleteCallbackServer", { group_id, server_id: "1" });
    await emulator.customers.says(emulator.chat(), { text: "hello" });
    expect(came).toEqual([]);
  });
});

describe("a call of VK's", () => {
  const codeOf = async (answer: Promise<{ error?: { error_code: number } }>) => (await answer).error?.error_code;

  it("is refused with HTTP 200 and VK's own words", async () => {
    const { call, says, emulator } = await scene(ok);
    const peer = String(emulator.chat().person.id);
    const send = (more: Record<string, string>) =>
      call("messages.send", { peer_ids: peer, message: "x", random_id: "1", ...more });
    expect((await call("messages.fly")).error).toMatchObject({ error_code: 3, error_msg: "Unknown method passed" });
    expect(await codeOf(call("groups.getById", { access_token: "wrong" }))).toBe(5);
    expect(await codeOf(call("groups.getById", { v: "" }))).toBe(100);
    expect(await codeOf(call("groups.getById", { invented: "1" }))).toBe(100);
    expect(await codeOf(call("groups.getCallbackServers", { group_id: "5" }))).toBe(203);
    expect((await send({})).response).toMatchObject([{ error: { code: 901 } }]);
    await says("hello");
    expect((await send({ peer_ids: "4242" })).response).toMatchObject([{ error: { code: 936 } }]);
    expect(await codeOf(send({ random_id: "" }))).toBe(100);
    expect(await codeOf(send({ message: " " }))).toBe(100);
    expect((await send({ message: "x".repeat(4_097) })).response).toMatchObject([{ error: { code: 914 } }]);
    expect((await send({ keyboard: "{" })).response).toMatchObject([{ error: { code: 911 } }]);
    expect(await codeOf(send({ attachment: "photo-1_2" }))).toBe(100);
    expect(await codeOf(call("messages.sendReaction", { peer_id: peer, cmid: "1", reaction_id: "65" }))).toBe(1009);
  });

  it("is one of twenty a second", async () => {
    const { call, clock } = await scene(ok);
    await clock.forward(1_000);
    const all = await Promise.all(Array.from({ length: 25 }, () => codeOf(call("utils.getServerTime"))));
    expect(all.filter((code) => code === 6)).toHaveLength(5);
    await clock.forward(1_000);
    expect(await codeOf(call("utils.getServerTime"))).toBeUndefined();
  });

  it("with a known random_id is no second message for an hour, whatever it says, and one afterwards", async () => {
    const { call, says, clock, emulator } = await scene(ok);
    await says("hello");
    const send = async (message: string) => {
      await clock.forward(1_000);
      return (await call("messages.send", { peer_ids: String(emulator.chat().person.id), message, random_id: "5" }))
        .response;
    };
    const first = await send("one");
    expect(await send("two")).toEqual(first);
    await clock.forward(3_600_000);
    expect(await send("three")).not.toEqual(first);
    expect(emulator.customer.sees()).toEqual(["one", "three"]);
  });

  it("loses its answer before the message is written, or after", async () => {
    const { call, says, emulator } = await scene(ok);
    await says("hello");
    const send = (random_id: string) =>
      call("messages.send", { peer_ids: String(emulator.chat().person.id), message: random_id, random_id }).catch(
        () => "lost",
      );
    for (const when of ["before", "after"] as const) {
      emulator.core.faults.plan({ operation: "messages.send", when, status: 502, body: "html" });
      expect(await send(when === "before" ? "1" : "2")).toBe("lost");
    }
    expect(emulator.customer.sees()).toEqual(["2"]);
  });

  it("to an upload's address works with a ticket of the same community only", async () => {
    const { call, says, emulator } = await scene(ok);
    await says("hello");
    const { response } = await call("docs.getMessagesUploadServer", { type: "doc" });
    const form = new FormData();
    form.set("file", new File(["x"], "a.txt", { type: "text/plain" }));
    const url = new URL((response as unknown as { upload_url: string }).upload_url);
    const upload = async (path: string) =>
      (await (await emulator.site.request(path, { method: "POST", body: form })).json()) as { file: string };
    const { file } = await upload(url.pathname + url.search);
    const [, other] = emulator.core.world.tokens;
    expect(await codeOf(call("docs.save", { file, access_token: other?.value ?? "" }))).toBe(105);
    expect((await call("docs.save", { file })).response).toMatchObject({ type: "doc", doc: { title: "a.txt" } });
    expect(await upload("/upload/photo?ticket=x")).toEqual({ error: "bad upload address" });
  });
});

describe("the long poll", () => {
  it("gives events after a number, waits for the next one, and says what of the key and the number has ended", async () => {
    const { call, says, emulator, clock, group_id } = await scene(ok);
    expect((await call("groups.getLongPollServer", { group_id })).error).toMatchObject({ error_code: 100 });
    await call("groups.setLongPollSettings", { group_id, enabled: "1", message_new: "1" });
    const { response } = await call("groups.getLongPollServer", { group_id });
    const { key, ts, server } = response as unknown as Record<"key" | "ts" | "server", string>;
    const poll = async (more: Record<string, string> = {}) => {
      const query = new URLSearchParams({ act: "a_check", key, ts, wait: "25", ...more });
      const answer = await emulator.site.request(`${new URL(server).pathname}?${query}`);
      return (await answer.json()) as {
        ts?: string;
        updates?: { object: { message: { text: string } } }[];
        failed?: number;
      };
    };
    await says("one");
    const waiting = poll({ ts: "2" });
    await says("two");
    const texts = (given: Awaited<ReturnType<typeof poll>>) => given.updates?.map(({ object }) => object.message.text);
    expect([texts(await waiting), texts(await poll())]).toEqual([["two"], ["one", "two"]]);
    const empty = poll({ ts: "3" });
    await clock.forward(25_000);
    expect(await empty).toEqual({ ts: "3", updates: [] });
    expect(await poll({ ts: "9" })).toEqual({ failed: 1, ts: 3 });
    expect(await poll({ key: "other" })).toEqual({ failed: 2 });
    expect(await poll({ ts: "x" })).toEqual({ failed: 3 });
    await clock.forward(3_600_000);
    expect(await poll()).toEqual({ failed: 2 });
  });
});
