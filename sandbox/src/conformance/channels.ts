import type { Stage } from "./stage.ts";

const BOTH = { creating: "both", editing: "both", quoting: "both", deleting: "both", reaction: "both" };
const MARKUP = ["block_monospace", "bold", "inline_monospace", "italic", "link", "strikethrough", "underline"];
const TYPES =
  "avito consultant custom drom fbmessenger instagram max mega_market odnoklassniki ozon skype telegram viber vk whatsapp wildberries yandex_chat yandex_market youla";

/** Settings that allow everything, both ways. */
export const EVERYTHING = {
  text: { ...BOTH, max_chars_count: 1000, markup_formats: MARKUP },
  image: { ...BOTH, max_items_count: 10, max_item_size: 1_000_000, note_max_chars_count: 500 },
  file: { ...BOTH, max_items_count: 10 },
  audio: { creating: "both", quoting: "both", deleting: "both", reaction: "both" },
  product: BOTH,
  order: BOTH,
  status: { delivered: "both", read: "both" },
  suggestions: { text: "both", url: "both", phone: "both", email: "both" },
  reactions: { dictionary: ["👍", "🔥"], max_count: 1 },
  template: { creation: true },
  sending_policy: { new_customer: "text", after_reply_timeout: "template", outgoing: "allowed" },
  customer_external_id: "any",
};

export async function openChannel({ transport }: Stage, change: object = {}, type = "telegram"): Promise<number> {
  const { body } = await transport("POST", "/channels", { type, name: type, settings: { ...EVERYTHING, ...change } });
  return Number(body.id);
}

/** Every channel type and settings value, written once and listed by both APIs. */
export async function driveChannels(stage: Stage): Promise<void> {
  const { transport, bot } = stage;
  for (const type of TYPES.split(" ")) await openChannel(stage, {}, type);
  const others = [
    { text: { creating: "send" }, customer_external_id: "phone", whatsapp: { channel_quality: "high", tier: 1 } },
    { text: { creating: "receive" }, sending_policy: { new_customer: "no", after_reply_timeout: "no" } },
    { text: { creating: "none" }, sending_policy: { new_customer: "template", outgoing: "restricted" } },
    { whatsapp: { channel_quality: "medium", channel_status: "connected" } },
    { whatsapp: { channel_quality: "low", channel_status: "flagged" } },
    ...["offline", "pending", "restricted"].map((status) => ({ whatsapp: { channel_status: status } })),
  ];
  const ids: number[] = [];
  for (const change of others) ids.push(await openChannel(stage, change));
  for (const id of ids) await transport("PUT", `/channels/${id}`, { name: "Renamed", type: "telegram" });
  for (const list of [transport, bot])
    for (const query of ["?limit=1000", ...["0", "1", "true", "false"].map((flag) => `?active=${flag}`), typesQuery()])
      await list("GET", `/channels${query}`);
  await transport("DELETE", `/channels/${ids[0]}`);
}

const typesQuery = () =>
  `?${TYPES.split(" ")
    .map((type) => `types=${type}`)
    .join("&")}&since=2020-01-01T00:00:00Z`;
