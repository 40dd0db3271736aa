import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { FilePart, MarkedText } from "gangway-messenger/message";
import type { Loss, SendStep } from "gangway-messenger/plan";
import type { ChannelSession, SendTarget, Sent } from "gangway-messenger/port";
import { lengthOf, linkLine, plainText, readable } from "gangway-messenger/text";
import * as z from "zod";
import { change, type MaxApi } from "../api.ts";
import { isNotReady, MaxError, rejected } from "../verdict.ts";
import { addressOf, type Context, TEXT_LENGTH } from "../wire.ts";
import { createTries, lookUp, sentAs, sentNotes, type Tries } from "./doubt.ts";
import { htmlOf } from "./html.ts";
import { keyboardOf } from "./keyboard.ts";
import { mediaKindOf, uploaded } from "./uploading.ts";

type Outbound = Required<Pick<ChannelSession, "send" | "lookup" | "revisions" | "readMarks">>;

const sentMessage = z.object({ message: z.object({ body: z.object({ mid: z.string().min(1) }) }) });
/** Only MAX's own ids can be quoted: presses, starts and copies have ids of ours. */
const MID = /^mid\.[^:]*$/;
/** Waits within an attempt for a file that MAX is still processing, ms. */
const NOT_READY_MS = [1_000, 2_000, 4_000];
/** Maximum number of steps whose uploads are remembered. */
const MAX_REMEMBERED = 1_000;

/** The message that a step became. */
interface Made {
  attachments: object[];
  text: string;
  losses: Loss[];
}
interface Sending {
  context: Context;
  api: MaxApi;
  tries: Tries;
  /** Uploads of steps that MAX has refused temporarily: these are sent again with the same uploads. */
  remembered: Map<string, Made>;
}

/** Sends what agents write: one message a step. */
export function sending(context: Context, api: MaxApi): Outbound {
  const parts: Sending = { context, api, tries: createTries(context), remembered: new Map() };
  return {
    send: (step, target, signal) => sendStep(parts, step, target, signal),
    lookup: (step, target, signal) => lookUp(parts, step, target, signal),
    revisions: {
      async edit({ part, text, marks, suggestions }, _, signal) {
        signal.throwIfAborted();
        // Without the field the files stay; a text has none.
        const attachments = part.holds === "text" ? { attachments: keyboardOf(suggestions) } : {};
        const body = { ...worded({ text, marks }), ...attachments };
        const query = { message_id: part.messengerMessageId };
        await change(api, { method: "PUT", path: "messages", query, body, what: "an edit" }, signal);
      },
      async delete({ messengerMessageId: message_id }, signal) {
        signal.throwIfAborted();
        const request = { method: "DELETE", path: "messages", query: { message_id }, what: "a deletion" } as const;
        await change(api, request, signal).catch(unlessGone);
      },
    },
    readMarks: {
      async read({ chat }, signal) {
        signal.throwIfAborted();
        const { dialog } = addressOf(chat);
        if (!dialog) return;
        const path = `chats/${encodeURIComponent(dialog)}/actions`;
        const body = { action: "mark_seen" };
        await change(api, { method: "POST", path, body, what: "a read mark", repeatable: true }, signal);
      },
      // MAX does this itself.
      delivered: async () => {},
    },
  };
}

function unlessGone(error: unknown): void {
  if (!(error instanceof MaxError) || error.refusal.status !== 404) throw error;
}

async function sendStep(parts: Sending, step: SendStep, target: SendTarget, signal: AbortSignal): Promise<Sent> {
  const { context, tries, remembered } = parts;
  const { chat, key } = target;
  signal.throwIfAborted();
  const made = remembered.get(key) ?? (await madeOf(parts, step, signal));
  try {
    const mid = await postedOnceReady(parts, step, chat, made, signal);
    tries.ended(key);
    remembered.delete(key);
    // Store at once: then a crash before the step is recorded leaves no doubt.
    await context.notes.set(sentNotes(key, mid));
    return { ...sentAs(step, mid), losses: made.losses };
  } catch (error) {
    tries.failed(key);
    remember(remembered, key, made, error);
    throw error;
  }
}

/** Uploads are kept only while MAX refuses the message temporarily. */
function remember(remembered: Sending["remembered"], key: string, made: Made, error: unknown): void {
  const isForNow = error instanceof DeliveryError && error.verdict.type === "retry";
  if (!isForNow || made.attachments.length === 0) return void remembered.delete(key);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(key, made);
}

type Posting = [parts: Sending, step: SendStep, chat: SendTarget["chat"], made: Made, signal: AbortSignal];

/** Waits here for a file that is not ready: postponing the step would delay the other chats. */
async function postedOnceReady(...posting: Posting): Promise<string> {
  const [{ context }, , , , signal] = posting;
  for (const ms of NOT_READY_MS) {
    try {
      return await posted(...posting);
    } catch (error) {
      if (!(error instanceof MaxError && isNotReady(error.refusal))) throw error;
      await pause(context.clock, ms, signal);
      // Nothing was sent: no doubt.
      if (signal.aborted) throw error;
    }
  }
  return posted(...posting);
}

/** Posts to the dialog, or to the customer if MAX has named no dialog. Returns the message's id. */
async function posted(...[{ api }, step, chat, made, signal]: Posting): Promise<string> {
  const quoted = step.quote?.messengerMessageId;
  const post = async (text: MarkedText, attachments: object[], link: object) => {
    const all = [...attachments, ...keyboardOf(buttonsOf(step))];
    const body = { ...worded(text), ...(all.length > 0 && { attachments: all }), ...link };
    const { query } = addressOf(chat);
    const request = { method: "POST", path: "messages", query, body, result: sentMessage, what: "a message" } as const;
    return (await api.ask(request, signal)).message.body.mid;
  };
  const words = made.text === step.text ? step : { text: made.text, marks: [] };
  const link = quoted && MID.test(quoted) ? { link: { type: "reply", mid: quoted } } : undefined;
  try {
    return await post(words, made.attachments, link ?? {});
  } catch (error) {
    if (!isRefused(error)) throw error;
    // Nothing was sent. A missing quoted message, or a picture that MAX cannot fetch, must not prevent the rest.
    const address = error.refusal.status === 400 ? webPictureOf(step) : undefined;
    if (address) return post(plainText([made.text, address].filter(Boolean).join("\n")), [], {});
    if (link) return post(words, made.attachments, {});
    throw error;
  }
}

const isRefused = (error: unknown): error is MaxError =>
  error instanceof MaxError && [400, 404].includes(error.refusal.status) && !isNotReady(error.refusal);

function webPictureOf({ files: [part], text }: SendStep): string | undefined {
  const url = part?.file.at === "web" ? part.file.url : undefined;
  return url && lengthOf(`${text}\n${url}`, "bytes") <= TEXT_LENGTH ? url : undefined;
}

/** Voice messages stand alone. */
const buttonsOf = ({ kind, suggestions }: SendStep) => (kind === "audio" ? [] : suggestions);

/** A text with its formatting, as far as it fits. */
function worded({ text, marks }: MarkedText): { text: string; format?: "html" } {
  if (marks.length === 0) return { text };
  const html = htmlOf({ text, marks });
  if (lengthOf(html, "bytes") <= TEXT_LENGTH) return { text: html, format: "html" };
  const plain = readable({ text, marks });
  return { text: lengthOf(plain, "bytes") <= TEXT_LENGTH ? plain : text };
}

async function madeOf(parts: Sending, step: SendStep, signal: AbortSignal): Promise<Made> {
  const made: Made = { attachments: [], text: step.text, losses: [] };
  for (const part of step.files) await addFile(parts, step, part, made, signal);
  if (step.kind === "audio")
    for (const { title } of step.suggestions) made.losses.push({ code: "buttons", about: title });
  if (made.attachments.length === 0 && made.text.trim() === "") throw rejected("there is nothing to send");
  return made;
}

async function addFile(
  { context, api }: Sending,
  step: SendStep,
  { file, name }: FilePart,
  made: Made,
  signal: AbortSignal,
): Promise<void> {
  if (file.at === "web") return void made.attachments.push({ type: "image", payload: { url: file.url } });
  if (file.at !== "gateway") throw rejected("the file is not at the gateway");
  const found = await context.gatewayFile(file.id, signal);
  const source = { ...found, name: name ?? found.name };
  const kind = mediaKindOf(step.kind, source);
  const isAlone = step.files.length === 1;
  const attachment = kind !== "file" || isAlone ? await uploaded(api, kind, source, signal) : undefined;
  // A picture that is not one is sent as a plain file.
  const plain = attachment || !isAlone || kind === "file" ? undefined : await uploaded(api, "file", source, signal);
  const given = attachment ?? plain;
  if (given) {
    const isPicture = attachment !== undefined && kind === "image";
    if (step.kind === "image" && !isPicture) made.losses.push({ code: "picture-as-file", about: source.name });
    return void made.attachments.push(given);
  }
  // It cannot be combined: beside pictures it is sent as its URL.
  const text = [made.text, linkLine({ name: source.name }, found)].filter(Boolean).join("\n");
  if (isAlone || lengthOf(text, "bytes") > TEXT_LENGTH) throw rejected("MAX does not take this file");
  made.text = text;
  made.losses.push({ code: "file-as-link", about: source.name });
}
