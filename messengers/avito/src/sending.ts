import { DeliveryError } from "gangway-messenger/errors";
import { withFiles } from "gangway-messenger/files";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { GatewayFile } from "gangway-messenger/message";
import type { Loss, SendStep } from "gangway-messenger/plan";
import type { ChannelSession, SendTarget, Sent } from "gangway-messenger/port";
import { linkLine } from "gangway-messenger/text";
import type { AvitoApi } from "./api.ts";
import {
  digestOf,
  goneKey,
  holdsOf,
  type Posted,
  postedIn,
  postedKey,
  type Saying,
  settled,
  triedNote,
  underWay,
} from "./notes.ts";
import { chatPath, ownPath } from "./paths.ts";
import { AvitoError } from "./verdict.ts";
import { type Context, DELETE_HOURS, done, sent, TEXT_LENGTH, uploaded } from "./wire.ts";

type Outbound = Required<Pick<ChannelSession, "send" | "revisions" | "readMarks">>;

/** What is sent in one call. */
interface Outgoing {
  path: "/messages" | "/messages/image";
  body: object;
  saying: Saying;
  losses: Loss[];
}

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

/** Sends what agents write: one message a step. */
export function sending(context: Context, api: AvitoApi): Outbound {
  return {
    send: (step, target, signal) => sendStep(context, api, step, target, signal),
    revisions: {
      async edit() {
        const error = refused("Avito cannot edit messages");
        // The relay then deletes the message and sends it again.
        error.hindrance = { code: "fixed" };
        throw error;
      },
      delete: ({ chat, messengerMessageId }, signal) => remove(context, api, { chat, id: messengerMessageId }, signal),
    },
    readMarks: {
      async read({ chat }, signal) {
        signal.throwIfAborted();
        const path = await chatPath(api, 1, chat, "/read", signal);
        await api.call({ method: "POST", path, result: done, what: "a read mark", repeatable: true }, signal);
      },
      // Avito has no such marks.
      delivered: async () => {},
    },
  };
}

/** A message that is known to have arrived. */
export function sentAs({ files: [file] }: Pick<SendStep, "files">, { id, holds }: Posted): Sent {
  const name = file?.name;
  return {
    parts: [{ messengerMessageId: id as MessengerMessageId, holds }],
    ...(file && holds === "text" && { losses: [{ code: "file-as-link", ...(name && { about: name }) }] }),
  };
}

async function sendStep(
  context: Context,
  api: AvitoApi,
  step: SendStep,
  target: SendTarget,
  signal: AbortSignal,
): Promise<Sent> {
  signal.throwIfAborted();
  const { notes, clock } = context;
  // Its webhook has confirmed it meanwhile.
  const known = postedIn(await notes.get(postedKey(target.key)));
  if (known) return sentAs(step, known);
  const outgoing = await outgoingOf(context, api, step, signal);
  const digest = digestOf(outgoing.saying);
  const path = await chatPath(api, 1, target.chat, outgoing.path, signal);
  const began = clock.now();
  await notes.set(underWay(target, digest, began));
  let id: string;
  try {
    ({ id } = await api.call({ method: "POST", path, body: outgoing.body, result: sent, what: "a message" }, signal));
  } catch (error) {
    const isSurelyNot = error instanceof DeliveryError && error.verdict.type !== "unsure";
    const ended = triedNote(target.key, { digest, began, ended: clock.now() });
    await notes.set(isSurelyNot ? settled(target, digest, undefined) : [ended]);
    throw error;
  }
  // Store at once: then a crash before the step is recorded leaves no doubt.
  const posted = { id, holds: holdsOf(outgoing.saying) };
  await notes.set(settled(target, digest, posted));
  return { ...sentAs(step, posted), losses: outgoing.losses };
}

async function outgoingOf(context: Context, api: AvitoApi, step: SendStep, signal: AbortSignal): Promise<Outgoing> {
  const [part] = step.files;
  if (!part) {
    if (!step.text) throw refused("there is nothing to send");
    return textOf(step.text);
  }
  if (part.file.at !== "gateway") throw refused("the file is not at the gateway");
  const found = await context.gatewayFile(part.file.id, signal);
  const source = { ...found, name: part.name ?? found.name };
  const image = isPicture(source) ? await upload(api, source, signal) : undefined;
  if (image !== undefined)
    return { path: "/messages/image", body: { image_id: image }, saying: { type: "image" }, losses: [] };
  const line = linkLine({ name: source.name, caption: part.caption }, found);
  if (line.length > TEXT_LENGTH) throw refused("the URL is too long for a message of this messenger");
  return { ...textOf(line), losses: [{ code: "file-as-link", about: source.name }] };
}

const textOf = (text: string): Outgoing => ({
  path: "/messages",
  body: { type: "text", message: { text } },
  saying: { type: "text", words: text },
  losses: [],
});

/** Of these types (uploadImages). */
const isPicture = ({ mediaType, name }: Pick<GatewayFile, "mediaType" | "name">): boolean =>
  /^image\/(jpe?g|heic|gif|bmp|x-ms-bmp|png)\b/i.test(mediaType) ||
  (/^application\/octet-stream\b/i.test(mediaType) && /\.(jpe?g|heic|gif|bmp|png)$/i.test(name ?? ""));

/** Undefined: Avito does not accept it as a picture. */
async function upload(api: AvitoApi, source: GatewayFile, signal: AbortSignal): Promise<string | undefined> {
  const path = await ownPath(api, 1, "uploadImages", signal);
  // Repeating an upload shows the customer nothing.
  const request = { method: "POST", path, result: uploaded, what: "an upload", repeatable: true } as const;
  try {
    return await withFiles(
      [{ field: "uploadfile[]", source }],
      async (files) => Object.keys(await api.call({ ...request, files }, signal))[0],
      signal,
    );
  } catch (error) {
    if (error instanceof AvitoError && NO_PICTURE.includes(error.refusal.status)) return undefined;
    throw error;
  }
}

/** Not a picture, too many pixels, or too many bytes. */
const NO_PICTURE = [400, 413, 415, 422];

async function remove(
  { notes }: Pick<Context, "notes">,
  api: AvitoApi,
  { chat, id }: { chat: ChatId; id: MessengerMessageId },
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const path = await chatPath(api, 1, chat, `/messages/${encodeURIComponent(id)}`, signal);
  // Otherwise its webhook would report to the CRM what the CRM has asked for.
  await notes.set([{ key: goneKey(id), value: "1" }]);
  try {
    await api.call({ method: "POST", path, result: done, what: "a deletion", repeatable: true }, signal);
  } catch (error) {
    const status = error instanceof AvitoError ? error.refusal.status : undefined;
    if (status === 404) return;
    // Then staff may still delete it.
    if (isNotDone(error)) await notes.set([{ key: goneKey(id), value: "" }]);
    if (error instanceof AvitoError && (status === 400 || status === 422))
      error.hindrance = { code: "too-old", about: String(DELETE_HOURS) };
    throw error;
  }
}

/** The call certainly did nothing: Avito, or something before it, refused it. */
function isNotDone(error: unknown): boolean {
  if (error instanceof AvitoError) return error.refusal.status < 500 || error.refusal.status === 503;
  return error instanceof DeliveryError && (error.verdict.type !== "retry" || error.foreignStatus !== undefined);
}
