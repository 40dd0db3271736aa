import type { ChatId, GatewayFileId, MessengerMessageId } from "gangway-messenger/ids";
import { streamOf } from "gangway-messenger/kit/context";
import { FILES } from "gangway-messenger/kit/sending";
import type { Content, FilePart, Suggestion } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import { contractJudge } from "../../../meta/test/emulator/contract.ts";
import { ACCOUNT_ID, TOKEN } from "../../emulator/seed.ts";
import { fresh, staged } from "../unit/stage.ts";

const judge = contractJudge("whatsapp");
type Stage = Awaited<ReturnType<typeof staged>>;

const choices = (count: number): Suggestion[] =>
  Array.from({ length: count }, (_, n) => ({ type: "text", title: `Colour ${n}` }));

/** Everything that an agent can send. */
async function agentSends(stage: Stage, chat: ChatId, quote: MessengerMessageId): Promise<void> {
  const { text, send, atGateway } = stage;
  await text(chat, "see https://shop.example", { quote: { messengerMessageId: quote } }, "a1");
  await text(chat, "long ".repeat(1_700), {}, "a2");
  for (const [n, count] of [1, 3, 4, 10, 13].entries())
    await text(chat, "Which?", { suggestions: choices(count) }, `b${n}`);
  await text(chat, "Look", { suggestions: [{ type: "url", title: "Shop", payload: "https://shop.example/" }] }, "b9");
  for (const [kind, { bytes, mediaType, name }] of Object.entries(FILES)) {
    atGateway.set(kind, () => ({ body: streamOf(bytes), mediaType, name, size: bytes.length }));
    const file = { file: { at: "gateway" as const, id: kind as GatewayFileId } };
    const content = { type: kind, files: [file], note: "note" } as Content;
    await send(chat, content, {}, `c-${kind}`);
    await send(chat, content, { suggestions: choices(2) }, `d-${kind}`);
  }
  const product = { id: 1, name: "Rope", image: "https://shop.example/rope.jpg", cost: { value: 3, currency: "EUR" } };
  await send(chat, { type: "product", product }, {}, "e1");
  await send(chat, { type: "order", order: { number: "7", items: [{ name: "Rope" }] } }, {}, "e2");
}

/** Templates that the merchant makes at Meta. */
async function withMerchantsTemplates({ emulator, session, network, stepsOf }: Stage, chat: ChatId): Promise<void> {
  const [step] = stepsOf({ type: "text", text: "for readers" });
  if (!step) throw new Error("a text is a step");
  const example = { body_text_named_params: [{ param_name: "first_name", example: "Ann" }] };
  const link = { type: "URL", text: "Shop", url: "https://shop.example/{{1}}", example: ["https://shop.example/a"] };
  const parts = {
    named: [{ type: "BODY", text: "Hello {{first_name}}, come in.", example }],
    form: [
      { type: "BODY", text: "Book" },
      { type: "BUTTONS", buttons: [{ type: "FLOW", text: "Book" }, link] },
    ],
    code: [
      { type: "BODY", add_security_recommendation: true },
      { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE" }] },
    ],
  };
  const uses = {
    named: { body: ["Robin"], buttons: [] },
    form: { body: [], buttons: [{ type: "url" as const, title: "Shop", values: ["ropes"] }] },
    code: { body: ["123"], buttons: [{ type: "url" as const, title: "Copy code", values: ["123"] }] },
  };
  for (const [name, components] of Object.entries(parts)) {
    const category = name === "code" ? "AUTHENTICATION" : "UTILITY";
    const parameter_format = name === "named" ? "NAMED" : "POSITIONAL";
    const body = JSON.stringify({ name, language: "en_US", category, parameter_format, components });
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    await emulator.site.request(`/v23.0/${ACCOUNT_ID}/message_templates`, { method: "POST", headers, body });
  }
  await network.idle();
  const listed = (await session.templates?.list(fresh())) ?? [];
  for (const [name, use] of Object.entries(uses))
    await session.send({ ...step, template: { code: `${name}|en_US`, ...use } }, { chat, key: name }, fresh());
  const named = listed.find((each) => each.name === "named");
  if (named) await session.templates?.edit(named.code, { ...named, body: "Hi {{1}}, come in." }, fresh());
}

/** At the gateway since `agentSends`. */
const PICTURE: FilePart = { file: { at: "gateway", id: "image" as GatewayFileId } };

async function withTemplates({ session, network, stepsOf }: Stage, chat: ChatId): Promise<void> {
  const draft = {
    name: "Order ready",
    language: "en_US",
    category: "utility",
    header: { type: "text" as const, text: "Order {{1}}" },
    body: "Hello {{1}}, come on {{2}}.",
    footer: "Quay & Co.",
    buttons: [
      { type: "url" as const, title: "Track", url: "https://shop.example/{{1}}" },
      { type: "plain" as const, title: "Thanks" },
      { type: "phone" as const, title: "Call", phone: "+15550100142" },
    ],
  };
  const made = await session.templates?.create(draft, fresh());
  await network.idle();
  const code = made?.code ?? "";
  const [step] = stepsOf({ type: "text", text: "for readers" });
  if (!step) throw new Error("a text is a step");
  const template = {
    code,
    header: { type: "text" as const, values: ["7"], files: [] },
    body: ["Robin", "Monday"],
    buttons: [{ type: "url" as const, title: "Track", values: ["abc"] }],
  };
  await session.send({ ...step, template }, { chat, key: "t1" }, fresh());
  await session.templates?.edit(code, { ...draft, body: "Hi {{1}}, come on {{2}}." }, fresh());
  await session.templates?.list(fresh());
  await session.templates?.delete(code, fresh());
  const pictured = { ...draft, name: "Pictured", header: { type: "image" as const }, examples: { files: [PICTURE] } };
  const other = (await session.templates?.create(pictured, fresh()))?.code ?? "";
  await network.idle();
  const header = { type: "image" as const, values: [], files: [PICTURE] };
  await session.send({ ...step, template: { ...template, code: other, header } }, { chat, key: "t2" }, fresh());
  await session.templates?.list(fresh());
}

describe.skipIf(!judge)("a whole conversation of ours", () => {
  it("fits the published contract, each request and each answer, by number and by user id", async () => {
    const stage = await staged({ typing: true });
    const { session, network, acts, chats, robin, wren } = stage;
    network.switches.set({ pairMs: 0 });
    await session.identify?.(fresh());
    await session.connect(fresh());
    for (const [chat, customer] of [
      [chats.robin, robin],
      [chats.wren, wren],
    ] as const) {
      const first = await acts.write(network, chat, { text: "hello" });
      const id = customer.userId as ChatId;
      await agentSends(stage, id, first.id as MessengerMessageId);
      const target = { chat: id, messengerMessageId: first.id as MessengerMessageId };
      await session.readMarks?.read(target, fresh());
      await session.reactions?.set(target, "👍", fresh());
      await session.reactions?.set(target, null, fresh());
      const media = { ...FILES.image, kind: "image" as const };
      await acts.write(network, chat, { media });
      const medium = chat.messages.findLast(({ from }) => from === "customer")?.medium;
      await session.files?.open(medium?.id ?? "", fresh());
    }
    await withTemplates(stage, robin.userId as ChatId);
    await withMerchantsTemplates(stage, robin.phone as ChatId);
    await session.standing?.(fresh());
    await session.inspect?.(fresh());
    await session.disconnect(fresh());
    await network.idle();
    const entries = network.core.journal.entries();
    expect(entries.flatMap((entry) => judge?.(entry) ?? [])).toEqual([]);
    const refused = entries.filter(({ kind, status }) => kind === "call" && status >= 400);
    expect(refused.map(({ operation, answer }) => [operation, answer])).toEqual([]);
    const asked = new Set(entries.filter(({ kind }) => kind === "call").map(({ operation }) => operation));
    expect([...asked].sort()).toEqual([
      "beginUpload",
      "createTemplate",
      "debugToken",
      "deleteTemplate",
      "editTemplate",
      "getNode",
      "listPhoneNumbers",
      "listSubscribedApps",
      "listSubscriptions",
      "listTemplates",
      "sendMessage",
      "subscribeApp",
      "subscribeObject",
      "unsubscribeApp",
      "uploadExample",
      "uploadMedia",
    ]);
    expect(entries.length).toBeGreaterThan(100);
  });
});
