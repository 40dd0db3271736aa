import { DeliveryError } from "gangway-messenger/errors";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { Loss, SendStep, SentPart } from "gangway-messenger/plan";
import type { ChannelSession, SendTarget, Sent } from "gangway-messenger/port";
import { linkLine } from "gangway-messenger/text";
import { unknownUntilTold } from "gangway-meta/doubt";
import { GraphError } from "gangway-meta/verdict";
import * as z from "zod";
import type { CloudApi } from "../api.ts";
import { startReading } from "../connecting/view.ts";
import { type Ids, learn, reachIn } from "../reading/people.ts";
import { callbackData, sentNote } from "../reading/statuses.ts";
import type { Context } from "../server.ts";
import { templateMessage } from "../templates/use.ts";
import { OUT_OF_WINDOW } from "../verdict.ts";
import { CAPTION_LENGTH, TEXT_LENGTH } from "../wire.ts";
import { formatted } from "./formatting.ts";
import { type Composed, compose, inLines } from "./interactive.ts";
import { hasCaption, headerOf, type Medium, mediumOf, wireOf } from "./media.ts";

type Outbound = Required<Pick<ChannelSession, "send" | "lookup" | "readMarks" | "reactions">>;

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
const sent = z.object({
  contacts: z.array(z.object({ wa_id: text, user_id: text })).nullish(),
  messages: z.array(z.object({ id: z.string().min(1) })).min(1),
});
const done = z.unknown();

/** How long Meta has to report by a status that it has a message, and how often the note of it is checked, ms. */
const STATUS = { withinMs: 60_000, askMs: 2_000 };

/** Sends what agents write: one message per step. */
export function sending(context: Context, api: CloudApi): Outbound {
  const { notes, clock, settings, openedAt } = context;
  const post = (body: object, what: string, signal: AbortSignal) =>
    api.call(
      {
        method: "POST",
        path: api.paths.messages,
        body: { messaging_product: "whatsapp", ...body },
        result: done,
        what,
        repeatable: true,
      },
      signal,
    );
  return {
    send: (step, target, signal) => sendStep(context, api, step, target, signal),
    async lookup(step, { key, since }, signal) {
      signal.throwIfAborted();
      const id = await notes.get(sentNote(key));
      if (id) return { found: "arrived", parts: [partOf(step, id as MessengerMessageId)] };
      return unknownUntilTold(STATUS, { since, openedAt, now: clock.now() });
    },
    readMarks: {
      async read({ messengerMessageId: message_id }, signal) {
        const typing = settings.typing ? { typing_indicator: { type: "text" } } : {};
        await post({ status: "read", message_id, ...typing }, "a read mark", signal);
      },
      // WhatsApp shows delivery by itself.
      delivered: async () => {},
    },
    reactions: {
      async set({ chat, messengerMessageId: message_id }, emoji, signal) {
        const to = await recipientOf(context, chat);
        await post({ ...to, type: "reaction", reaction: { message_id, emoji: emoji ?? "" } }, "a reaction", signal);
      },
    },
  };
}

async function sendStep(
  context: Context,
  api: CloudApi,
  step: SendStep,
  { chat, key }: SendTarget,
  signal: AbortSignal,
): Promise<Sent> {
  signal.throwIfAborted();
  // Meta sometimes reports an error ("something went wrong") for a message that it sends: a status has shown that
  // meanwhile.
  const known = await context.notes.get(sentNote(key));
  if (known) return { parts: [partOf(step, known as MessengerMessageId)] };
  if (!step.template) await ensureOpen(context, chat);
  const to = await recipientOf(context, chat);
  const fitting =
    to.recipient_type === "group" ? { ...step, text: inLines(step.text, step.suggestions), suggestions: [] } : step;
  const { body, losses } = step.template
    ? { body: await templateMessage(context, api, step.template, signal), losses: [] }
    : await messageOf(context, api, fitting, signal);
  const request = {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...to,
    ...quoteOf(step),
    ...body,
    biz_opaque_callback_data: callbackData(context.channelId, key),
  };
  const answer = await api
    .call({ method: "POST", path: api.paths.messages, body: request, result: sent, what: "a message" }, signal)
    .catch((error) => closing(context, chat, error));
  const id = answer.messages[0]?.id as MessengerMessageId;
  await remember(context, { chat, key, id }, answer.contacts?.[0]);
  return { parts: [partOf(step, id)], losses };
}

function partOf(step: SendStep, messengerMessageId: MessengerMessageId): SentPart {
  const holds = step.files.length === 0 || step.template ? "text" : step.text ? "caption" : "media";
  return { messengerMessageId, holds };
}

/** Refuses without a call what Meta would refuse: the time of the customer's last message is known. */
async function ensureOpen({ notes, clock }: Context, chat: ChatId): Promise<void> {
  const until = await notes.get(windowNote(chat));
  if (until && clock.now() > Number(until))
    throw new DeliveryError({ type: "reject", code: "reply_timed_out", externalCode: "131047" }, OUT_OF_WINDOW);
}

const windowNote = (chat: ChatId) => `window:${chat}`;

/** Meta says that the window is closed, so the next message need not try. */
async function closing({ notes, clock }: Context, chat: ChatId, error: unknown): Promise<never> {
  if (error instanceof GraphError && error.verdict.type === "reject" && error.verdict.code === "reply_timed_out")
    await notes.set([{ key: windowNote(chat), value: String(clock.now() - 1) }]);
  throw error;
}

/** By number if it is known, else by user id: sending both is not certain to work. */
async function recipientOf({ notes }: Pick<Context, "notes">, chat: ChatId): Promise<Record<string, string>> {
  const reach = reachIn(await notes.get(`to:${chat}`));
  if (reach?.group) return { recipient_type: "group", to: chat };
  if (reach?.phone) return { to: reach.phone };
  if (reach?.userId) return { recipient: reach.userId };
  return USER_ID.test(chat) ? { recipient: chat } : { to: chat.replace(/^\+/, "") };
}
/** A business-scoped user id: a country, and letters and digits. */
const USER_ID = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]+$/;

/** Only a message of WhatsApp can be quoted, not one of an older channel. */
const quoteOf = ({ quote }: SendStep) =>
  quote?.messengerMessageId?.startsWith("wamid.") ? { context: { message_id: quote.messengerMessageId } } : {};

interface Message {
  body: Record<string, unknown>;
  losses: Loss[];
}

async function messageOf(context: Context, api: CloudApi, step: SendStep, signal: AbortSignal): Promise<Message> {
  const [file] = step.files;
  const medium = file && (await mediumOf(context, api, step, file, signal));
  if (medium) return fileMessage(context, step, medium);
  const message = await textMessage(context, { ...step, links: [...step.files, ...step.links] }, signal);
  if (file) message.losses.push({ code: "file-as-link", about: file.name });
  return message;
}

async function textMessage(context: Context, step: SendStep, signal: AbortSignal): Promise<Message> {
  const { language } = context.settings;
  const lines = await linkLines(context, step, signal);
  const composed = (words: string) =>
    compose([words, ...lines].filter(Boolean).join("\n"), step.suggestions, { language });
  const { text: body, interactive, lost } = withFormatting(step, composed, TEXT_LENGTH);
  if (interactive) return { body: { type: "interactive", interactive }, losses: lossesOf(lost) };
  if (!body) throw new DeliveryError({ type: "reject", code: "general" }, "the message is empty");
  return { body: { type: "text", text: { body, preview_url: /https?:\/\//.test(body) } }, losses: lossesOf(lost) };
}

function fileMessage({ settings }: Context, step: SendStep, medium: Medium): Message {
  const { language } = settings;
  const losses: Loss[] = medium.demoted ? [{ code: "picture-as-file", about: medium.name }] : [];
  const header = headerOf(medium);
  const composed = (text: string): Composed =>
    header
      ? compose(text, step.suggestions, { language, header })
      : { text, lost: step.suggestions.map(({ title }) => title) };
  const { text: caption, interactive, lost } = withFormatting(step, composed, CAPTION_LENGTH);
  losses.push(...lossesOf(lost));
  if (interactive) return { body: { type: "interactive", interactive }, losses };
  if (caption && !hasCaption(medium)) losses.push({ code: "part", about: caption });
  return { body: { type: medium.kind, [medium.kind]: wireOf(medium, caption) }, losses };
}

const lossesOf = (titles: string[]): Loss[] => titles.map((about) => ({ code: "buttons", about }));

/** Markup counts as characters: if it leaves no room, the text is sent without it. */
function withFormatting(step: SendStep, composed: (text: string) => Composed, most: number): Composed {
  const plain = composed(step.text);
  const marked = composed(formatted(step));
  const isSame = marked.lost.length === plain.lost.length && !marked.interactive === !plain.interactive;
  return isSame && marked.text.length <= most ? marked : plain;
}

/** Files that are too large follow as lines with their addresses. */
async function linkLines({ gatewayFile }: Context, { links }: SendStep, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  for (const part of links) {
    if (part.file.at === "web") lines.push(linkLine(part, { url: part.file.url }));
    if (part.file.at !== "gateway") continue;
    const { name, url } = await gatewayFile(part.file.id, signal);
    lines.push(linkLine(part, { name, url }));
  }
  return lines;
}

/**
 * So that `lookup` finds it, whatever happens next, and so that somebody who answers a first message is known by both
 * ids.
 */
async function remember(
  context: Context,
  { chat, key, id }: { chat: ChatId; key: string; id: string },
  contact: { wa_id?: string; user_id?: string } | undefined,
): Promise<void> {
  const reading = startReading(context);
  reading.set(sentNote(key), id);
  const ids: Ids = { phone: contact?.wa_id, userId: contact?.user_id };
  if (ids.phone || ids.userId) await learn(chat, ids, reading);
  await context.notes.set([...reading.changed].map(([name, value]) => ({ key: name, value })));
}
