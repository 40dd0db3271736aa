import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { signatureOf } from "gangway-meta/signature";
import { describe, expect, it } from "vitest";
import { COEXISTENCE_ID, FOREIGN_NUMBER_ID, NUMBER_ID } from "../../../emulator/seed.ts";
import { AT, about, change, message, ofNumber, ROBIN, status } from "../../../samples/wire.ts";
import whatsapp from "../../../src/index.ts";
import { fresh, staged } from "../stage.ts";

const textOf = (n: number, phone = ROBIN.phone) => ({
  from: phone,
  id: `wamid.T${n}`,
  timestamp: String(AT),
  type: "text",
  text: { body: `text ${n}` },
});
const merged = (...bodies: { entry: object[] }[]) => ({
  object: "whatsapp_business_account",
  entry: bodies.flatMap(({ entry }) => entry),
});

describe("a batch at a channel's door", () => {
  it("keeps its own number's part, and hands on those of others, signed for their channels", async () => {
    const stage = await staged();
    const receipt = await stage.receive(
      merged(
        about({ messages: [textOf(1)] }),
        ofNumber(COEXISTENCE_ID, { messages: [textOf(2)] }),
        ofNumber(FOREIGN_NUMBER_ID, { messages: [textOf(3)] }),
        about({ messages: [textOf(4)] }),
      ),
    );
    expect(receipt.events.map(({ key }) => key)).toEqual(["wamid.T1", "wamid.T4"]);
    expect(receipt.others?.map(({ login }) => login)).toEqual([
      `whatsapp:${COEXISTENCE_ID}`,
      `whatsapp:${FOREIGN_NUMBER_ID}`,
    ]);
    const [part] = receipt.others ?? [];
    const sibling = await staged({ phoneNumberId: COEXISTENCE_ID });
    const { headers = {}, body = "" } = part?.request ?? {};
    const read = await sibling.session.receive(new Request("https://g.example", { method: "POST", headers, body }));
    expect(read.events.map(({ key }) => key)).toEqual(["wamid.T2"]);
    const stranger = await staged({ phoneNumberId: COEXISTENCE_ID, appSecret: "0".repeat(32) });
    const refused = await stranger.session.receive(new Request("https://g.example", { method: "POST", headers, body }));
    expect([refused.reply.status, refused.events]).toEqual([401, []]);
  });

  it.each([
    { errors: [{ code: "131051" }, null] },
    { context: "x" },
    { context: { id: 5, forwarded: "true" } },
    { referral: 5 },
    { timestamp: {} },
    { timestamp: "99999999999999999999" },
    { to_user_id: 5, from_user_id: 5 },
    { reaction: 5, system: [], edit: "x" },
  ])("loses no message for a field of another type (%j)", async (strange) => {
    const { receive, context } = await staged();
    const before = context.clock.now();
    const { events, unknown } = await receive(about({ messages: [{ ...textOf(1), ...strange }] }));
    expect(events).toMatchObject([{ type: "message", content: { type: "text", text: "text 1" } }]);
    expect(events[0]?.at).toSatisfy((at: number) => at === AT * 1000 || at >= before);
    expect(unknown).toBeUndefined();
  });

  it.each([
    { contacts: {} },
    { contacts: [null, { profile: { name: 5 } }] },
    { errors: "x" },
    { errors: [{ code: "1" }] },
    { statuses: {} },
    { statuses: [null, { id: 5 }] },
    { message_echoes: "x" },
  ])("loses no message for what stands beside it (%j)", async (strange) => {
    const { receive } = await staged();
    expect((await receive(about({ messages: [textOf(1)], ...strange }))).events).toHaveLength(1);
  });

  it.each(["read", "failed", "delivered"])(
    "brings nothing of what another program sent from the number (%s)",
    async (name) => {
      const { receive, context } = await staged();
      // Another server of ours may be one, too.
      for (const theirs of ["campaign:5", "gangway:k", "gangway:another-channel:k"]) {
        const receipt = await receive(status(name, { biz_opaque_callback_data: theirs, errors: [{ code: 131_026 }] }));
        expect([receipt.events, receipt.notes]).toEqual([[], []]);
      }
      const own = `gangway:${context.channelId}:k`;
      expect((await receive(status("read", { biz_opaque_callback_data: own }))).events).toHaveLength(1);
    },
  );

  it("says of a status with a code in digits what failed", async () => {
    const { receive } = await staged();
    const failed = await receive(status("failed", { errors: [{ code: "131047", title: 5 }] }));
    expect(failed.events).toMatchObject([{ type: "failed", error: { code: "reply_timed_out" } }]);
  });

  it("of 3 MiB and 1,000 entries is read whole, with no more look-ups for a message than in a batch of ten", async () => {
    const batchOf = (count: number) =>
      merged(
        ...Array.from({ length: count }, (_, n) =>
          about({ messages: [{ ...textOf(n, `346000${10_000 + n}`), text: { body: "é".repeat(1_300) } }] }),
        ),
      );
    const readWith = async (count: number) => {
      const { context } = await staged();
      let [calls, lookups] = [0, 0];
      const { notes } = context;
      const session = whatsapp.open({
        ...context,
        call: async () => {
          calls++;
          throw new Error("a batch needs no call");
        },
        notes: {
          ...notes,
          get(key) {
            lookups++;
            return notes.get(key);
          },
        },
      });
      const body = JSON.stringify(batchOf(count));
      const headers = { "x-hub-signature-256": signatureOf(DEMO_APP.secret, body) };
      const { events } = await session.receive(new Request(context.doorUrl, { method: "POST", body, headers }));
      expect(events.map(({ key }) => key)).toEqual(Array.from({ length: count }, (_, n) => `wamid.T${n}`));
      return { bytes: Buffer.byteLength(body), calls, lookups };
    };
    const [few, some, all] = [await readWith(10), await readWith(100), await readWith(1_000)];
    expect(all.bytes).toBeGreaterThan(2.7 * 1024 * 1024);
    expect(all.bytes).toBeLessThan(whatsapp.bodyLimit(""));
    expect([few.calls, all.calls]).toEqual([0, 0]);
    expect(few.lookups).toBeGreaterThan(0);
    expect((all.lookups - some.lookups) / 900).toBe((some.lookups - few.lookups) / 90);
  });

  it("keeps its ids to the last digit", async () => {
    const { receive } = await staged();
    const body = JSON.stringify(message({ type: "text", text: { body: "hi" }, referral: { source_id: "DIGITS" } }));
    const { events } = await receive(body.replace('"DIGITS"', "120226305854810726999"));
    expect(events).toMatchObject([{ customer: { utm: { campaign: "120226305854810726999" } } }]);
  });

  it("is proven by the operator's secret where the shop has no app of its own", async () => {
    const { context, commit } = await staged();
    const operators = "operators-app-secret-0123456789";
    const settings = whatsapp.settings.parse({ ...(context.settings as object), appSecret: "" });
    const server = { ...context.server, META_APP_SECRET: operators };
    const session = whatsapp.open({ ...context, settings, server });
    const body = JSON.stringify(about({ messages: [textOf(1)] }));
    const signed = (secret: string) =>
      session.receive(
        new Request(context.doorUrl, {
          method: "POST",
          body,
          headers: { "x-hub-signature-256": signatureOf(secret, body) },
        }),
      );
    expect((await signed(operators)).events).toHaveLength(1);
    expect((await signed("")).reply.status).toBe(401);
    expect(whatsapp.proof?.(settings, body, server)).toEqual({ "x-hub-signature-256": signatureOf(operators, body) });
    await commit({});
  });
});

describe("changes of the whole account", () => {
  const review = change("message_template_status_update", {
    event: "APPROVED",
    message_template_id: 1,
    message_template_name: "hello",
    message_template_language: "en_US",
  });

  it.each([
    "message_template_status_update",
    "message_template_quality_update",
    "message_template_components_update",
    "template_category_update",
  ])("in the field %s have the templates read again", async (field) => {
    const { receive } = await staged();
    const receipt = await receive(change(field, { message_template_id: 1 }));
    expect(receipt).toMatchObject({ events: [], templatesChanged: true });
  });

  it("reach the account's other numbers, too", async () => {
    const { receive, session } = await staged();
    await session.connect(fresh());
    const { others, templatesChanged } = await receive(review);
    expect(templatesChanged).toBe(true);
    expect(others?.map(({ login }) => login)).toEqual([`whatsapp:${COEXISTENCE_ID}`]);
  });

  it("of another account are no business of the channel's", async () => {
    const { receive } = await staged();
    const elsewhere = { ...review, entry: review.entry.map((entry) => ({ ...entry, id: "1" })) };
    const receipt = await receive(elsewhere);
    expect([receipt.templatesChanged, receipt.others]).toEqual([undefined, undefined]);
  });

  it("that tell agents nothing leave nothing, and one of tomorrow is named for the log", async () => {
    const { receive } = await staged();
    expect(await receive(change("account_alerts", { entity_type: "WABA" }))).toMatchObject({ events: [] });
    const tomorrow = await receive(ofNumber(NUMBER_ID, { novelty: [1] }));
    expect(tomorrow.events).toEqual([]);
  });
});

describe("statuses", () => {
  it("in any order tell once that a message was read, and note which message a key became", async () => {
    const { receive, context } = await staged();
    const data = { biz_opaque_callback_data: `gangway:${context.channelId}:k1` };
    const keys: string[] = [];
    for (const name of ["read", "delivered", "sent", "played", "read"])
      keys.push(...(await receive(status(name, data))).events.map(({ key }) => key));
    expect(new Set(keys)).toEqual(new Set(["read:wamid.OUT1"]));
    expect(await context.notes.get("accepted:k1")).toBe("wamid.OUT1");
  });

  it("of other programs' messages leave no note", async () => {
    const { receive, context } = await staged();
    const { notes } = await receive(status("sent", { biz_opaque_callback_data: "their-key" }));
    expect(notes).toEqual([]);
    expect(await context.notes.get("accepted:their-key")).toBeUndefined();
  });
});

describe("a customer", () => {
  it("who was known by number keeps the chat once a user id is known, and is reached as before", async () => {
    const { receive, text, last } = await staged();
    const now = { timestamp: String(Math.floor(Date.now() / 1000)) };
    await receive(about({ messages: [{ ...textOf(1), ...now }] }));
    const { events } = await receive(message({ type: "text", text: { body: "again" } }, now));
    expect(events).toMatchObject([
      { chat: ROBIN.phone, customer: { id: ROBIN.userId, otherIds: [ROBIN.phone], phone: "+34600111222" } },
    ]);
    await text(ROBIN.phone);
    expect(last().byUserId).toBe(false);
  });

  it("who wants no marketing is not said to want it again by a word of tomorrow", async () => {
    const { receive } = await staged();
    const wants = (value: unknown) =>
      about(
        { user_preferences: [{ wa_id: ROBIN.phone, category: "marketing_messages", value, timestamp: AT }] },
        "user_preferences",
      );
    await receive(about({ messages: [textOf(1)] }));
    expect((await receive(wants("stop"))).events).toMatchObject([{ type: "note" }]);
    for (const value of [undefined, "", 5, "perhaps"]) expect((await receive(wants(value))).events).toEqual([]);
    expect((await receive(wants("signup"))).events).toMatchObject([{ type: "note" }]);
  });

  it("in whose window an older message arrives late keeps the later end", async () => {
    const { receive } = await staged();
    const first = await receive(message({ type: "text", text: { body: "new" } }, { timestamp: String(AT + 3_600) }));
    const late = await receive(message({ type: "text", text: { body: "old" } }, { id: "wamid.OLD" }));
    const until = (AT + 3_600 + 86_400) * 1000;
    expect([first, late].map(({ events }) => events[0])).toMatchObject([{ replyUntil: until }, { replyUntil: until }]);
  });
});

describe("a customer's file", () => {
  it("is streamed from Meta with the token", async () => {
    const { session, acts, network, chats, after } = await staged();
    await session.connect(fresh());
    const bytes = new Uint8Array(Buffer.from("a document"));
    const media = { kind: "document" as const, name: "a.pdf", mediaType: "application/pdf", bytes };
    const [event] = await after(() => acts.write(network, chats.robin, { media }));
    const [part] = event?.type === "message" && "files" in event.content ? event.content.files : [];
    expect(part).toMatchObject({ name: "a.pdf", mediaType: "application/pdf" });
    const file = await session.files?.open(part?.file.at === "messenger" ? part.file.ref : "", fresh());
    expect(file?.size).toBe(bytes.length);
    expect(await new Response(file?.body).text()).toBe("a document");
  });

  it.each(["__proto__", "constructor"])("of the type %s has a plain name", async (mime_type) => {
    const { receive } = await staged();
    const { events } = await receive(message({ type: "image", image: { id: "1", mime_type } }));
    expect(events).toMatchObject([{ content: { type: "image", files: [{ name: "Photo" }] } }]);
  });

  it("that Meta no longer has is refused for good, and an outage is waited out", async () => {
    const { session, core } = await staged();
    await expect(session.files?.open("404", fresh())).rejects.toMatchObject({ verdict: { type: "reject" } });
    core.faults.plan({ operation: "getNode", status: 503 } as never);
    await expect(session.files?.open("405", fresh())).rejects.toMatchObject({ verdict: { type: "retry" } });
  });
});
