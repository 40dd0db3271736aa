import type { DeliveryError } from "gangway-messenger/errors";
import type { ChatId } from "gangway-messenger/ids";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import type { Content } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import { planMessage } from "gangway-messenger/planning";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { SIGNATURE_HEADER, signatureOf } from "gangway-meta/signature";
import type { OutboundMessage } from "../../../../src/domain/message.ts";
import * as acts from "../../emulator/acts.ts";
import { createEmulator } from "../../emulator/emulator.ts";
import { NUMBER_ID } from "../../emulator/seed.ts";
import { chatOf, type Message } from "../../emulator/world.ts";
import whatsapp from "../../src/index.ts";

export const fresh = () => new AbortController().signal;
export const refusalOf = (act: Promise<unknown>): Promise<DeliveryError> =>
  act.then(
    () => {
      throw new Error("it was not refused");
    },
    (error: DeliveryError) => error,
  );

/** The adapter beside its emulator; `own` are settings. */
export async function staged(own: object = {}) {
  const { settings, open } = besideEmulator(whatsapp, createEmulator, { verifyToken: "v".repeat(43), ...own });
  const opened = await open();
  const { emulator, session, context } = opened;
  const { network } = emulator;
  const { world, core } = network;
  const number = world.numbers.get(NUMBER_ID);
  const [robin, wren] = world.customers;
  if (!number || !robin || !wren) throw new Error("the emulator is empty");
  const token = core.tokens.list()[0];
  if (!token) throw new Error("there is no token");
  const chats = { robin: chatOf(world, number, robin), wren: chatOf(world, number, wren) };
  const stepsOf = (content: Content, more: Partial<OutboundMessage> = {}): SendStep[] => {
    const whole = { type: "message", gatewayMessageId: "77", chat: "chat", content, suggestions: [], ...more };
    const plan = planMessage(whole as OutboundMessage, whatsapp.capabilities(whatsapp.settings.parse(settings)));
    return plan.steps.filter((step): step is SendStep => step.do === "send");
  };
  const send = async (chat: string, content: Content, more: Partial<OutboundMessage> = {}, key = "one") => {
    const sent = [];
    for (const [n, step] of stepsOf(content, more).entries())
      sent.push(await session.send(step, { chat: chat as ChatId, key: n === 0 ? key : `${key}.${n}` }, fresh()));
    return sent;
  };
  const text = (chat: string, words = "hello", more: Partial<OutboundMessage> = {}, key = "one") =>
    send(chat, { type: "text", text: words }, more, key);
  /** A webhook that the app has signed, stored as the relay stores it. */
  const receive = async (body: object | string, secret: string = DEMO_APP.secret) => {
    const whole = typeof body === "string" ? body : JSON.stringify(body);
    const headers = { [SIGNATURE_HEADER]: signatureOf(secret, whole) };
    const receipt = await session.receive(new Request(context.doorUrl, { method: "POST", body: whole, headers }));
    await opened.commit(receipt);
    return receipt;
  };
  const last = (from: Message["from"] = "business") => {
    const message = [...world.messages.values()].map((each) => each.message).findLast((each) => each.from === from);
    if (!message) throw new Error("there is no message");
    return message;
  };
  const fault = (plan: object) => core.faults.plan({ operation: "sendMessage", ...plan } as never);
  const subscriptions = () => {
    const account = world.accounts.get(number.account);
    return [...(account?.subscribed ?? [])].map(([app, { override }]) => [app, override?.url]);
  };
  return {
    ...opened,
    settings,
    network,
    world,
    core,
    number,
    robin,
    wren,
    chats,
    token,
    stepsOf,
    send,
    text,
    receive,
    last,
    fault,
    subscriptions,
    acts,
    app: core.apps.find(DEMO_APP.id),
  };
}
