import { MAX_ANSWER, readCapped } from "gangway-messenger/kit/emulator/capped";
import type { Asked } from "gangway-meta/emulator/graph";
import type { Medium } from "gangway-meta/emulator/media";
import { needRight } from "gangway-meta/emulator/tokens";
import { badParam, invalid, type StatusError, statusError, waRefusal } from "./codes.ts";
import { sendingError } from "./media-checks.ts";
import { accountOf, type Network } from "./network.ts";
import { ownNumber } from "./owned.ts";
import { readMarkOf, type Sent, type SentContent, type SentTemplate, sentOf } from "./send-shape.ts";
import { follow } from "./statuses.ts";
import { componentOf, type Template } from "./template.ts";
import { rendered, templateFor } from "./template-sending.ts";
import { UPLOAD_MS } from "./values.ts";
import {
  addMessage,
  type BusinessNumber,
  type Chat,
  type Content,
  type Customer,
  changed,
  chatOf,
  customerAt,
  newWamid,
  windowEnd,
} from "./world.ts";

/** POST /{phone number id}/messages. */
export async function sendMessage(network: Network, asked: Asked): Promise<object> {
  const number = ownNumber(network, asked, "phoneNumberId", "post");
  needRight(asked.token(), "whatsapp_business_messaging");
  if (!number.isRegistered) throw waRefusal(133010);
  if (asked.body.status !== undefined) return markRead(network, number, asked.body);
  const sent = sentOf(asked.body);
  checkRecipient(network, number, sent);
  checkPace(network, number, sent);
  return accept(network, number, sent);
}

/** Text, media and templates only (docs/whatsapp/cloud-api/groups). */
const IN_GROUPS = ["text", "image", "video", "audio", "document", "sticker", "template"];

function checkGroup({ world }: Network, to: string | undefined, { type }: SentContent): void {
  if (to === undefined || !world.groups.has(to)) throw waRefusal(131009, "Parameter 'to' is not a valid group id");
  if (!IN_GROUPS.includes(type)) throw waRefusal(131051);
}

function checkRecipient(
  network: Network,
  { digits }: BusinessNumber,
  { envelope: { to, recipient, recipient_type }, content }: Sent,
): void {
  if (recipient_type === "group") {
    checkGroup(network, to, content);
    return;
  }
  if (to !== undefined) {
    if (!/^\+?[\d\s().-]{5,24}$/.test(to) || to.replaceAll(/\D/g, "").length < 5)
      throw waRefusal(131009, "Parameter 'to' is not a valid phone number");
    if (to.replaceAll(/\D/g, "") === digits) throw waRefusal(131021);
    return;
  }
  if (!/^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(recipient ?? ""))
    throw waRefusal(131009, "Parameter 'recipient' is not a valid user id");
  if ((content.interactive as { type?: string } | undefined)?.type === "request_contact_info") return;
}

function checkPace({ core, switches }: Network, number: BusinessNumber, { envelope: { to, recipient } }: Sent): void {
  const { perSecond, pairMs, pairBurst } = switches.values();
  const max = number.isCoexistence ? Math.ceil(perSecond / 4) : perSecond;
  if (!core.rates.take(`number:${number.id}`, max, 1_000)) throw waRefusal(130429);
  const peer = to?.replaceAll(/\D/g, "") ?? recipient;
  if (pairMs > 0 && !core.rates.pace(`pair:${number.id}:${peer}`, pairMs, pairBurst)) throw waRefusal(131056);
}

async function accept(network: Network, number: BusinessNumber, { envelope, content }: Sent): Promise<object> {
  const { to, recipient, context, biz_opaque_callback_data: callback } = envelope;
  const customer = customerAt(network.world, to, recipient) ?? stranger(to, recipient);
  const chat = customer.n > 0 ? chatOf(network.world, number, customer) : lostChat(number, customer);
  const template =
    content.type === "template" ? templateFor(accountOf(network, number), content.template as SentTemplate) : undefined;
  if (template?.category === "AUTHENTICATION" && to === undefined) throw waRefusal(131062);
  if (context && !network.world.messages.has(context.message_id)) throw invalid("Message to reply to is not found");
  const medium = mediumOf(network, number, content);
  const late = template === undefined && network.core.clock.now() >= windowEnd(chat);
  if (late && customer.n > 0 && network.switches.values().windowRefusal === "answer") throw waRefusal(131047);
  const id = content.type === "reaction" ? reacted(network, chat, content) : undefined;
  const at = network.core.clock.now();
  const message = addMessage(network.world, id === undefined ? chat : { ...chat, messages: [] }, {
    ...(id !== undefined && { id }),
    from: "business",
    at,
    content: shown(content, template),
    medium,
    quote: context?.message_id,
    callback,
    category: template?.category.toLowerCase() ?? "service",
    byUserId: to === undefined,
  });
  changed(network.world, chat);
  follow(network, chat, message, () => doomOf(network, chat, { content, template, late, medium }));
  const known = customer.isHidden ? {} : { wa_id: customer.phone };
  const ids = to === undefined ? { user_id: customer.userId } : known;
  return {
    messaging_product: "whatsapp",
    contacts: [{ input: to ?? recipient, ...ids }],
    messages: [{ id: message.id, ...(template && { message_status: "accepted" }) }],
  };
}

/** Nobody with this number uses WhatsApp; the sender learns of it by a status only. */
const stranger = (to = "", recipient = ""): Customer => ({
  n: 0,
  name: "",
  phone: to.replaceAll(/\D/g, ""),
  isHidden: to === "",
  userId: recipient || "US.0",
  isOnline: false,
  readsAtOnce: false,
  blocked: new Set(),
  optedOut: new Set(),
});
const lostChat = (number: BusinessNumber, customer: Customer): Chat => ({
  number,
  customer,
  messages: [],
  wroteAt: 0,
  adAt: 0,
  typingUntil: 0,
});

interface Doom {
  content: SentContent;
  template: Template | undefined;
  late: boolean;
  medium: Medium | undefined;
}

/** Why an accepted message will not arrive. */
async function doomOf(
  network: Network,
  chat: Chat,
  { content, template, late, medium }: Doom,
): Promise<StatusError | undefined> {
  const { customer, number } = chat;
  if (customer.n === 0) return statusError(131026);
  if (late) return statusError(131047);
  if (template?.category === "MARKETING" && customer.optedOut.has(number.id)) return statusError(131050);
  if (number.status === "RESTRICTED" || number.status === "BANNED") return statusError(131031);
  if (!isMedia(content.type)) return undefined;
  const { link } = content[content.type] as { link?: string };
  if (link === undefined) return medium && sendingError(content.type, medium);
  return fetched(network, chat, content.type, link);
}

const MEDIA = ["image", "video", "audio", "document", "sticker"] as const;
const isMedia = (type: string): type is (typeof MEDIA)[number] => (MEDIA as readonly string[]).includes(type);

/** A file by its id. Throws GraphRefusal. */
function mediumOf(
  { core }: Network,
  { id: owner }: BusinessNumber,
  { type, ...content }: SentContent,
): Medium | undefined {
  if (!isMedia(type)) return undefined;
  const { id } = content[type] as { id?: string };
  if (id === undefined) return undefined;
  const medium = core.media.find(id);
  if (medium?.owner !== owner)
    throw badParam(`Param ${type}['id'] is not a valid whatsapp business account media attachment ID`);
  return medium;
}

/** Only this machine's addresses are loaded; names of others count as unreachable. */
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const FETCH_MS = 20_000;

/** A file by its link: loaded after the 200. */
async function fetched(
  { core }: Network,
  chat: Chat,
  type: (typeof MEDIA)[number],
  link: string,
): Promise<StatusError | undefined> {
  const unreachable = statusError(
    131053,
    "Downloading media from weblink failed with http code 0, status message Unreachable",
  );
  if (!URL.canParse(link) || !LOCAL.test(new URL(link).hostname)) return unreachable;
  const answer = await fetch(link, { signal: AbortSignal.timeout(FETCH_MS) }).catch(() => undefined);
  if (!answer) return unreachable;
  if (!answer.ok) {
    await answer.body?.cancel();
    return statusError(
      131053,
      `Downloading media from weblink failed with http code ${answer.status}, status message ${answer.statusText}`,
    );
  }
  const bytes = await readCapped(answer, 101 * MAX_ANSWER);
  const name = decodeURIComponent(new URL(link).pathname.split("/").at(-1) ?? "file");
  const mediaType = answer.headers.get("content-type") ?? "application/octet-stream";
  const medium = core.media.add({ owner: chat.number.id, name, mediaType, bytes, lifeMs: UPLOAD_MS });
  const message = chat.messages.findLast(
    ({ content }) => (content[type] as { link?: string } | undefined)?.link === link,
  );
  if (message) message.medium = medium;
  return sendingError(type, medium);
}

/** Reactions are no messages of the chat, but have an id. Throws GraphRefusal. */
function reacted({ world }: Network, chat: Chat, { reaction }: SentContent): string {
  const { message_id, emoji = "" } = reaction as { message_id: string; emoji?: string };
  const found = world.messages.get(message_id);
  if (!found || found.chat.customer !== chat.customer) throw invalid("Message to react to is not found");
  if (emoji === "") delete found.message.reactions.business;
  else found.message.reactions.business = emoji;
  return newWamid(chat.customer);
}

/** A template as the customer sees it. */
function shown(content: SentContent, template: Template | undefined): Content {
  if (!template) return content;
  const { components = [] } = content.template as SentTemplate;
  const buttons = (componentOf(template, "BUTTONS")?.buttons ?? []).map(({ type, text = "", url }, index) => {
    const given = components.find((each) => each.type.toLowerCase() === "button" && Number(each.index) === index);
    const payload = given?.parameters?.[0] as { payload?: string; text?: string } | undefined;
    if (type === "URL") return { text, url: url?.replace(/\{\{\w+\}\}/, payload?.text ?? "") };
    return { text, payload: payload?.payload ?? text };
  });
  return { ...content, text: { body: rendered(template, components) }, buttons };
}

const TYPING_MS = 25_000;

/** The business has read up to this message. */
function markRead({ world, core }: Network, number: BusinessNumber, body: Record<string, unknown>): object {
  const { message_id, typing_indicator } = readMarkOf(body);
  const found = world.messages.get(message_id);
  if (found?.chat.number !== number || found.message.from !== "customer")
    throw invalid("Message with given id was not found");
  const { chat, message } = found;
  for (const each of chat.messages) {
    if (each.from === "customer" && each.n <= message.n) each.status = "read";
  }
  if (typing_indicator) chat.typingUntil = core.clock.now() + TYPING_MS;
  changed(world, chat);
  return { success: true };
}
