import { DeliveryError } from "gangway-messenger/errors";
import type { ChatId } from "gangway-messenger/ids";
import type { SendStep } from "gangway-messenger/plan";
import type { ChannelSession, SendTarget, Sent } from "gangway-messenger/port";
import * as z from "zod";
import type { Login } from "../login.ts";
import { attachedKey, floodedKey, oursByNumberKey } from "../notes.ts";
import { asSpam, FLOOD, refusalError, VkError } from "../verdict.ts";
import { cmidIn, messageId, TEXT_LENGTH } from "../wire.ts";
import { keyboardOf } from "./keyboard.ts";
import { lookingUp } from "./lookup.ts";
import { partOf } from "./parts.ts";
import { randomIdOf } from "./random-id.ts";
import { revising } from "./revising.ts";
import { attach } from "./uploads.ts";

type Outbound = Required<Pick<ChannelSession, "send" | "lookup" | "revisions" | "reactions" | "readMarks">>;

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

/** The form with `peer_ids`: only its answer contains the number in the chat. A refusal for the peer is inside. */
const sentTo = z
  .array(
    z.object({
      conversation_message_id: z.int().nullish(),
      error: z.object({ code: z.int().nullish(), description: z.string().nullish() }).nullish(),
    }),
  )
  .min(1);

/** Sends what agents write: one message a step. */
export const sending = (login: Login): Outbound => ({
  send: (step, target, signal) => sendStep(login, step, target, signal),
  lookup: lookingUp(login),
  ...revising(login),
});

async function sendStep(login: Login, step: SendStep, { chat, key }: SendTarget, signal: AbortSignal): Promise<Sent> {
  signal.throwIfAborted();
  const { notes } = login.context;
  const { names, lines, losses } = await attach(login, step, chat, signal);
  const text = [step.text, ...lines].filter(Boolean).join("\n");
  if (!text && names.length === 0) throw refused("there is nothing to send");
  if (text.length > TEXT_LENGTH) throw refused("the text with the addresses of its files is too long for VK");
  const params = {
    peer_ids: chat,
    // Stored first: whoever repeats the step sends the same.
    random_id: await randomIdOf(login.context, chat, key),
    message: text || undefined,
    attachment: names.join(",") || undefined,
    keyboard: keyboardOf(step.suggestions),
  };
  const cmid = await quoting(login, params, step, chat, signal).catch(flooded(login, key));
  const id = messageId(chat, cmid);
  await notes.set([
    { key: oursByNumberKey(id), value: key },
    ...(names.length > 0 ? [{ key: attachedKey(id), value: names.join(",") }] : []),
  ]);
  return { parts: [partOf(names, id)], ...(losses.length > 0 && { losses }) };
}

/** A message that VK takes for spam waits once; then the agent is told. */
const flooded =
  ({ context: { notes } }: Login, key: string) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof VkError) || error.code !== FLOOD) throw error;
    if (await notes.get(floodedKey(key))) throw asSpam(error);
    await notes.set([{ key: floodedKey(key), value: "1" }]);
    throw error;
  };

type Params = Record<string, string | number | undefined>;

/** With the quote; without it if VK no longer has the quoted message. */
async function quoting(
  login: Login,
  params: Params,
  { quote }: SendStep,
  chat: ChatId,
  signal: AbortSignal,
): Promise<number> {
  const cmid = quote?.messengerMessageId ? cmidIn(quote.messengerMessageId) : undefined;
  if (cmid === undefined) return post(login, params, signal);
  const forward = JSON.stringify({ peer_id: Number(chat), conversation_message_ids: [cmid], is_reply: true });
  try {
    return await post(login, { ...params, forward }, signal);
  } catch (error) {
    if (!(error instanceof VkError) || !ABOUT_QUOTE.includes(error.code)) throw error;
    return post(login, params, signal);
  }
}
/** It cannot be forwarded, is from another chat, or a parameter is invalid. */
const ABOUT_QUOTE = [921, 969, 913, 100];

async function post({ api }: Login, params: Params, signal: AbortSignal): Promise<number> {
  const method = "messages.send";
  const [sent] = await api.call({ method, params, result: sentTo, repeatable: false }, signal);
  const { error, conversation_message_id: cmid } = sent ?? {};
  if (error) throw refusalError({ code: error.code ?? 0, said: error.description ?? "" }, method);
  if (!cmid) throw new DeliveryError({ type: "unsure" }, `VK sent no number of the message (${method})`);
  return cmid;
}
