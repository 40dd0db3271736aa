import { describe, expect, it } from "vitest";
import { contractJudge } from "../../../meta/test/emulator/contract.ts";
import { changeNumber, changeUserId, edit, prefer, press, react, revoke, write } from "../../emulator/acts.ts";
import { staffEdits, staffRevokes, staffWrites } from "../../emulator/coexistence.ts";
import { ACCOUNT_ID, COEXISTENCE_ID, NUMBER_ID } from "../../emulator/seed.ts";
import { chatOf } from "../../emulator/world.ts";
import { CARDS, FILES, INTERACTIVE, TEMPLATE } from "./scene.ts";
import { opened } from "./stage.ts";

const judge = contractJudge("whatsapp");
type Stage = Awaited<ReturnType<typeof opened>>;

async function uploaded(
  { ask }: Stage,
  { name, mediaType, bytes }: (typeof FILES)[keyof typeof FILES],
): Promise<string> {
  const form = new FormData();
  form.set("messaging_product", "whatsapp");
  form.set("type", mediaType);
  form.set("file", new File([bytes], name, { type: mediaType }));
  return (await ask("POST", `${NUMBER_ID}/media`, form)).body.id;
}

/** Everything that a business sends. */
async function businessSends(stage: Stage): Promise<void> {
  const { send, ask, chat } = stage;
  const quoted = chat.messages[0]?.id;
  await send({
    type: "text",
    text: { body: "see https://shop.example", preview_url: true },
    context: { message_id: quoted },
  });
  for (const kind of ["image", "video", "audio", "document", "sticker"] as const)
    await send({ type: kind, [kind]: { id: await uploaded(stage, FILES[kind]) } });
  await send({ type: "image", image: { link: "https://shop.example/rope.jpg", caption: "A rope" } });
  await send({ type: "location", location: { latitude: 41.4, longitude: 2.2, name: "Quay", address: "Pier 1" } });
  await send({ type: "contacts", contacts: CARDS });
  await send({ type: "reaction", reaction: { message_id: quoted, emoji: "👍" } });
  await send({ type: "reaction", reaction: { message_id: quoted, emoji: "" } });
  for (const interactive of INTERACTIVE) await send({ type: "interactive", interactive });
  await send({ status: "read", message_id: quoted, typing_indicator: { type: "text" }, to: undefined });
  await send({ type: "text", text: { body: "by id" }, to: undefined, recipient: stage.wren.userId });
  await send({ type: "text", text: { body: "to nobody" }, to: "15550109999" });
  await ask("GET", `${await uploaded(stage, FILES.image)}?phone_number_id=${NUMBER_ID}`);
  await ask("DELETE", await uploaded(stage, FILES.document));
}

/** Everything that a customer sends. */
async function customerSends(stage: Stage): Promise<void> {
  const { network, chat, hidden, world } = stage;
  for (const each of [chat, hidden]) {
    for (const kind of ["image", "video", "audio", "voice", "document", "sticker", "animated"] as const) {
      const file = FILES[kind === "voice" ? "audio" : kind === "animated" ? "sticker" : kind];
      await write(network, each, { media: { kind, ...file, caption: "look" } });
    }
    await write(network, each, { location: { latitude: 41.4, longitude: 2.2, name: "Home" } });
    await write(network, each, { contacts: CARDS });
    await write(network, each, {
      order: {
        catalog_id: "194836987003835",
        text: "Please",
        product_items: [{ product_retailer_id: "rope-8", quantity: 2, item_price: 12.5, currency: "EUR" }],
      },
    });
    await write(network, each, { unsupported: "poll" });
    await write(network, each, { text: "forwarded", forwarded: "often" });
    const first = each.messages[0];
    if (!first) throw new Error("no message");
    await write(network, each, { text: "quoting", quote: first.id });
    await write(network, each, {
      text: "I saw the ad",
      referral: {
        source_url: "https://fb.me/1",
        source_id: "1200",
        source_type: "ad",
        headline: "Ropes",
        ctwa_clid: "Ab1",
      },
    });
    await write(network, each, { text: "this one?", product: { catalog_id: "1", product_retailer_id: "rope-8" } });
    await react(network, each, first, "❤️");
    await react(network, each, first, null);
    await prefer(network, each, "stop");
    await prefer(network, each, "resume");
    for (const message of each.messages.filter(({ from }) => from === "business")) {
      const pressed = JSON.stringify(message.content).match(/"id":"(yes|row-1)"/)?.[1];
      if (pressed) await press(network, each, message, pressed);
    }
  }
  await changeNumber(network, stage.robin, "15550100043");
  await changeUserId(network, stage.wren, "ES.7777888899990000");
  const app = world.numbers.get(COEXISTENCE_ID);
  if (!app) throw new Error("no coexistence number");
  const own = chatOf(world, app, stage.robin);
  const said = await write(network, own, { text: "first" });
  await edit(network, own, said, "second");
  await revoke(network, own, said);
  const staff = await staffWrites(network, own, { type: "text", text: { body: "from the app" } });
  await staffEdits(network, own, staff, "better");
  await staffRevokes(network, own, staff);
}

async function templates({ ask, send, control, idle, network, chat, robin, clock }: Stage): Promise<void> {
  const { body } = await ask("POST", `${ACCOUNT_ID}/message_templates`, TEMPLATE);
  await idle();
  clock.jump(48 * 3_600_000);
  await send({
    type: "template",
    to: robin.phone,
    template: {
      name: TEMPLATE.name,
      language: { code: TEMPLATE.language },
      components: [
        { type: "body", parameters: [{ type: "text", text: "Robin" }] },
        { type: "button", sub_type: "quick_reply", index: "0", parameters: [{ type: "payload", payload: "track" }] },
      ],
    },
  });
  await idle();
  const sent = chat.messages.at(-1);
  if (sent) await press(network, chat, sent, "track");
  await ask(
    "GET",
    `${ACCOUNT_ID}/message_templates?limit=1&fields=name,status,quality_score,rejected_reason,components`,
  );
  await ask("GET", body.id);
  for (const event of ["PAUSED", "REINSTATED", "FLAGGED", "DISABLED", "REJECTED"])
    await control("POST", `templates/${body.id}/review`, {
      event,
      reason: "ABUSIVE_CONTENT",
      recommendation: "Say it kindly",
    });
  await control("POST", `templates/${body.id}/quality`, { quality: "YELLOW" });
  await control("POST", `templates/${body.id}/category`, { category: "MARKETING" });
  await ask("POST", body.id, { components: TEMPLATE.components });
  await idle();
  await ask("DELETE", `${ACCOUNT_ID}/message_templates?name=${TEMPLATE.name}`);
  await control("PATCH", `numbers/${NUMBER_ID}`, { quality: "RED", tier: "TIER_250", event: "FLAGGED" });
  await control("POST", `accounts/${ACCOUNT_ID}/update`, {
    event: "ACCOUNT_VIOLATION",
    violation_info: { violation_type: "SPAM" },
  });
  await control("POST", `numbers/${NUMBER_ID}/broken`);
}

describe.skipIf(!judge)("the published contract", () => {
  it.each([{}, { pricing: "CBP", userIds: false, directUrl: true, removedReaction: "empty" }])(
    "fits every call, answer and webhook of a whole story, with %j",
    async (settings) => {
      const stage = await opened();
      const { emulator, network, ask, idle, control } = stage;
      network.switches.set({ pairMs: 0, ...settings });
      await emulator.says("hello");
      await write(network, stage.hidden, { text: "hello" });
      await businessSends(stage);
      await idle();
      await control("PATCH", "customers/1", { reads: true });
      for (const { message } of network.world.messages.values())
        if (message.content.type === "audio" && message.from === "business")
          await control("POST", `messages/${message.id}/status`, { status: "played" });
      await customerSends(stage);
      await templates(stage);
      for (const path of [
        NUMBER_ID,
        `${NUMBER_ID}?fields=status,messaging_limit_tier`,
        ACCOUNT_ID,
        `${ACCOUNT_ID}/phone_numbers`,
        `${ACCOUNT_ID}/subscribed_apps`,
        "1",
      ])
        await ask("GET", path);
      await ask("DELETE", `${ACCOUNT_ID}/subscribed_apps`);
      const entries = network.core.journal.entries();
      expect(entries.flatMap((entry) => judge?.(entry) ?? [])).toEqual([]);
      expect(entries.filter(({ kind, status }) => kind === "call" && status >= 400).map(({ path }) => path)).toEqual([
        "/v23.0/1",
      ]);
      expect(new Set(entries.map(({ operation }) => operation)).size).toBeGreaterThanOrEqual(14);
    },
  );

  it("is judged: an invented field is a fault", async () => {
    const { emulator, network } = await opened();
    await emulator.says("hello");
    const entry = network.core.journal.entries().at(-1);
    const wrong = JSON.parse(JSON.stringify(entry?.request).replace('"type":"text"', '"type":"text","mood":"good"'));
    expect(entry && judge?.({ ...entry, request: wrong })).toEqual([expect.stringContaining("webhook asks")]);
  });
});
