import { type Clock, deadline, onAbort } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { type ChannelId, fingerprint, type GatewayFileId, type MessengerMessageId } from "gangway-messenger/ids";
import type { Language } from "gangway-messenger/language";
import { lateFileText, missingFileText } from "gangway-messenger/loss";
import type { Content, Customer, FilePart, FilesContent } from "gangway-messenger/message";
import type { ChannelSession, MessageRef } from "gangway-messenger/port";
import { excerptOf } from "gangway-messenger/text";
import * as z from "zod";
import { blameMessenger } from "../../domain/delivery.ts";
import type { InboundMessage } from "../../domain/message.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { NoteStore } from "../../store/channels.ts";
import type { Store } from "../../store/store.ts";
import type { Route } from "./pieces.ts";

/** A customer's content with its files uploaded; files that could not be fetched are listed as text. */
export interface Uploaded {
  content: Content;
  files: GatewayFileId[];
  /** Files listed as text that may still come. */
  late: FilePart[];
}

interface Sides {
  clock: Clock;
  session: ChannelSession;
  gateway: Gateway;
  /** The agents' language. */
  language: Language;
  /** Positions of files that an earlier attempt left out: the gateway may have that attempt's message. */
  leftOut: number[];
}

export interface UploadDeps extends Sides {
  /** From this time on, ms, a file that cannot be fetched becomes a line of text, so that the chat goes on. */
  lineAt: number;
  /** Runs the upload of one file; an answer outside the contract that keeps coming back becomes a refusal. */
  watch<T>(file: string, act: () => Promise<T>): Promise<T>;
}

/** How long a message waits for its files, ms: with the last fetch and the post, less than two minutes. */
export const LINE_MS = 90_000;
/** Retry interval of a file, and the longest silence of its server, ms. */
const EVERY_MS = 5_000;
const SILENCE_MS = 10_000;
/** Time for uploads, ms: the rest comes late, since the post must fit into the same attempt. */
const UPLOADS_MS = 100_000;
const PICTURE = /^image\/(jpeg|png|gif|webp)\b/;

/** Uploads the files one by one. A refused file becomes a line of text: the message still arrives. */
export async function uploadFiles(deps: UploadDeps, content: FilesContent, signal: AbortSignal): Promise<Uploaded> {
  const came = arrivals(content);
  const missing: string[] = [];
  const late: FilePart[] = [];
  const isTooLate = lateFrom(deps);
  for (const [n, part] of content.files.entries()) {
    try {
      if (deps.leftOut.includes(n) || isTooLate()) late.push(part);
      else {
        const ms = fetchMs(deps, content.files.length, n);
        came.add(part, await deps.watch(`file ${n}`, () => uploadFile(deps, part, ms, signal)));
        continue;
      }
    } catch (error) {
      if (!isGivenUp(deps, error, signal)) throw soon(deps, error);
      if (error instanceof DeliveryError && error.verdict.type !== "reject") late.push(part);
    }
    missing.push(missingFileText(part, deps.language));
  }
  const { files, kept } = came;
  const type = came.type();
  if (missing.length === 0) return { content: { ...content, type }, files, late };
  const words = [content.note, ...missing].filter(Boolean).join("\n");
  if (kept.length === 0) return { content: { type: "text", text: words, marks: content.marks }, files, late };
  return { content: { ...content, type, files: kept, note: words }, files, late };
}

const lateFrom = ({ clock }: Sides): (() => boolean) => {
  const began = clock.monotonic();
  return () => clock.monotonic() - began >= UPLOADS_MS;
};

/** Each file's share of the remaining time; after `lineAt`, of one silence. */
function fetchMs({ clock, lineAt }: UploadDeps, files: number, n: number): number {
  const left = lineAt - clock.now();
  return left <= 0 ? SILENCE_MS / files : Math.max(SILENCE_MS, left / (files - n));
}

function arrivals({ type }: FilesContent) {
  const files: GatewayFileId[] = [];
  const kept: FilePart[] = [];
  let arePictures = type === "file";
  return {
    files,
    kept,
    add(part: FilePart, { id, mediaType = "" }: UploadedFile) {
      files.push(id);
      kept.push(part);
      arePictures &&= part.mayBePicture === true && PICTURE.test(mediaType);
    },
    type: () => (arePictures && kept.length > 0 ? "image" : type),
  };
}

/** Uploads late files. Throws when none could be fetched. `words`: text of the message they belong to. */
export async function uploadLate(
  sides: Sides,
  content: FilesContent,
  words: string,
  signal: AbortSignal,
): Promise<Uploaded> {
  const came = arrivals(content);
  const late: FilePart[] = [];
  const isTooLate = lateFrom(sides);
  let refusal: unknown;
  let failure: unknown;
  for (const [n, part] of content.files.entries()) {
    if (sides.leftOut.includes(n) || (came.kept.length > 0 && isTooLate())) {
      late.push(part);
      continue;
    }
    try {
      came.add(part, await uploadFile(sides, part, UPLOADS_MS, signal));
    } catch (error) {
      if (signal.aborted || !(error instanceof DeliveryError)) throw error;
      if (error.verdict.type === "reject") refusal ??= error;
      else if (!error.fromOtherSide) throw error;
      else {
        // Whatever the messenger's file server answers, the file keeps its day of retries.
        late.push(part);
        failure = retriedFor(error.message);
      }
    }
  }
  // A refused file does not end the retries of the others.
  if (came.kept.length === 0)
    throw failure ?? (late.length > 0 ? retriedFor("its other files are still to come") : refusal);
  const note = came.kept.map((part) => lateFileText(part, words, sides.language)).join("\n");
  return { content: { ...content, type: came.type(), files: came.kept, note }, files: came.files, late };
}

/** A retry for which the messenger is to blame. */
const retriedFor = (message: string, afterMs?: number) =>
  Object.assign(new DeliveryError({ type: "retry", afterMs }, message), { fromOtherSide: true });

function isGivenUp({ clock, lineAt }: UploadDeps, error: unknown, signal: AbortSignal): boolean {
  if (!(error instanceof DeliveryError) || signal.aborted) return false;
  return error.verdict.type === "reject" || (error.fromOtherSide && clock.now() >= lineAt);
}

/** Retries soon, at the latest at `lineAt`. */
function soon({ clock, lineAt }: UploadDeps, error: unknown): unknown {
  if (!(error instanceof DeliveryError) || !error.fromOtherSide || error.verdict.type !== "retry") return error;
  const afterMs = Math.min(EVERY_MS, Math.max(0, lineAt - clock.now()));
  return retriedFor(error.message, afterMs);
}

interface UploadedFile {
  id: GatewayFileId;
  mediaType?: string;
}

/** `ms`: total time to wait for its bytes. */
async function uploadFile(
  { session, gateway, clock }: Sides,
  part: FilePart,
  ms: number,
  signal: AbortSignal,
): Promise<UploadedFile> {
  const { file, name, mediaType } = part;
  if (file.at === "gateway") return { id: file.id, mediaType };
  const { files } = session;
  if (file.at === "web" || !files)
    throw new DeliveryError({ type: "reject", code: "general" }, "the messenger offers no files");
  const patience = createPatience(clock, ms, signal);
  try {
    const opening = files.open(file.ref, patience.signal);
    const open = await patience.waitFor(opening).catch((error) => {
      void opening.then(({ body }) => body.cancel()).catch(() => {});
      return blameMessenger(error);
    });
    const { body, fault } = trackingFault(open.body, patience);
    const whole = { ...open, body, name: name ?? open.name, mediaType: mediaType ?? open.mediaType };
    try {
      const id = await gateway.uploadFile(whole, signal).catch((error) => {
        const broken = fault();
        const reason = broken instanceof DeliveryError ? broken : error;
        if (broken === undefined || signal.aborted) throw reason;
        return blameMessenger(reason);
      });
      return { id, mediaType: whole.mediaType };
    } finally {
      // A call that never started leaves the stream untouched; close its source.
      if (!open.body.locked) await open.body.cancel().catch(() => {});
    }
  } finally {
    patience.end();
  }
}

/** Patience with a messenger's file server: counts while we wait for bytes, not while the gateway takes them. */
interface Patience {
  signal: AbortSignal;
  /** Ends even if the act ignores its signal. */
  waitFor<T>(act: Promise<T>): Promise<T>;
  end(): void;
}

function createPatience(clock: Clock, ms: number, stop: AbortSignal): Patience {
  const controller = new AbortController();
  const { signal } = controller;
  const isOver = new Promise<never>((_, reject) => {
    onAbort(signal, () => reject(new DeliveryError({ type: "retry" }, "the messenger's file server is too slow")));
  });
  isOver.catch(() => {});
  const ignore = onAbort(stop, () => controller.abort(stop.reason));
  if (stop.aborted) controller.abort(stop.reason);
  let left = ms;
  return {
    signal,
    async waitFor(act) {
      const began = clock.monotonic();
      const cancel = clock.after(Math.min(left, SILENCE_MS), () =>
        controller.abort(new DOMException("It took too long", "TimeoutError")),
      );
      try {
        return await Promise.race([act, isOver]);
      } finally {
        cancel();
        left -= clock.monotonic() - began;
      }
    },
    end() {
      ignore();
      controller.abort();
    },
  };
}

/** Remembers why the bytes broke off: the call that carries them does not report it. */
function trackingFault(source: ReadableStream<Uint8Array>, patience: Patience) {
  let fault: unknown;
  async function* bytes() {
    const reader = source.getReader();
    try {
      for (;;) {
        const { done, value } = await patience.waitFor(reader.read());
        if (done) return;
        yield value;
      }
    } catch (error) {
      fault = error;
      throw error;
    } finally {
      void reader.cancel().catch(() => {});
    }
  }
  return { body: ReadableStream.from(bytes()) as ReadableStream<Uint8Array>, fault: () => fault };
}

/** Key prefix of our notes, by chat and message, for every kind: messages sent without some of their files. */
export const LATE_FILE_NOTES = "late-files:";

/**
 * Files a message was sent without. Written before it leaves: a repeat must not carry more than the gateway may have.
 */
const lateFiles = z.object({
  /** Positions of those files. */
  leftOut: z.array(z.number()),
  /** Messages that carried, or were about to carry, late files. */
  came: z.array(z.string().transform((id) => id as MessengerMessageId)),
  /** The message was deleted: its files must not follow. */
  isGone: z.boolean().optional(),
});
type LateFiles = z.infer<typeof lateFiles>;
const NONE: LateFiles = { leftOut: [], came: [] };

type Of = MessageRef & { channelId: ChannelId };

const keyOf = ({ chat, messengerMessageId }: Of) => `${LATE_FILE_NOTES}${chat}:${messengerMessageId}`;

export async function lateFilesOf(notes: NoteStore, of: Of): Promise<LateFiles> {
  const note = await notes.get(of.channelId, keyOf(of));
  return note === undefined ? NONE : lateFiles.parse(JSON.parse(note));
}

export const rememberLate = (notes: NoteStore, of: Of, now: LateFiles): Promise<void> =>
  notes.set(of.channelId, [{ key: keyOf(of), value: JSON.stringify(now) }]);

/** A new message for the files that a message was sent without; undefined when there are none. */
export function lateMessage(
  event: InboundMessage,
  { type, note = "" }: FilesContent,
  files: FilePart[],
): InboundMessage | undefined {
  if (files.length === 0) return undefined;
  const { chat, at, originator, customer, key, messengerMessageId, past } = event;
  return {
    ...{ type: "message", key: `${key}:late`, chat, at, originator, customer, past },
    messengerMessageId: `late:${fingerprint(messengerMessageId)}` as MessengerMessageId,
    quote: event.late ? event.quote : messengerMessageId,
    content: { type, files },
    late: event.late ?? { words: excerptOf(note) },
  };
}

/** Key prefix of our notes, for every kind of channel. */
export const AVATAR_NOTES = "avatar:";
/** How long a picture is cached, and a failure, ms. */
const FRESH_MS = 24 * 3_600_000;
const FAILED_MS = 600_000;
/** How long a message waits for its author's picture, ms; and the maximum size of one, bytes. */
const PATIENCE_MS = 5_000;
const MAX_BYTES = 512 * 1024;

/** As noted; `at`: time of the last check, ms. */
interface CachedAvatar {
  at: number;
  version?: string;
  url?: string;
  failed?: boolean;
}

/** URL of a customer's picture, uploaded to the gateway by us. Never throws. */
export async function avatarOf(
  { store, clock }: { store: Pick<Store, "notes">; clock: Clock },
  { channel, gateway }: Pick<Route, "channel" | "gateway">,
  session: ChannelSession,
  customer: Customer,
  stop: AbortSignal,
): Promise<string | undefined> {
  if (!customer.hasAvatar || !session.avatars) return undefined;
  const key = `${AVATAR_NOTES}${customer.id}`;
  let known: CachedAvatar | undefined;
  const save = (value: Omit<CachedAvatar, "at">) =>
    store.notes.set(channel.id, [{ key, value: JSON.stringify({ at: clock.now(), ...value }) }]);
  try {
    const noted = await store.notes.get(channel.id, key);
    if (noted) known = JSON.parse(noted) as CachedAvatar;
    if (known && clock.now() - known.at < (known.failed ? FAILED_MS : FRESH_MS)) return known.url;
    const patience = deadline(clock, PATIENCE_MS, stop);
    const found = await refresh(session, gateway, customer, known, patience.signal).finally(patience.end);
    await save(found);
    return found.url;
  } catch {
    // A picture never fails a message. Cache the failure, so that a slow picture delays only one message.
    if (!stop.aborted) await save({ version: known?.version, url: known?.url, failed: true }).catch(() => {});
    return known?.url;
  }
}

/** The current picture; uploaded only if it has changed. */
async function refresh(
  session: ChannelSession,
  gateway: Gateway,
  { id: customer }: Customer,
  known: CachedAvatar | undefined,
  signal: AbortSignal,
): Promise<Omit<CachedAvatar, "at">> {
  const found = await session.avatars?.find(customer, signal);
  if (!found) return {};
  const { version, ref } = found;
  if (known?.url && known.version === version) return { version, url: known.url };
  const open = await session.files?.open(ref, signal);
  if (!open) return { version };
  const body = open.body.pipeThrough(capped(MAX_BYTES));
  try {
    const id = await gateway.uploadFile({ ...open, body, name: open.name ?? "avatar.jpg" }, signal);
    return { version, url: (await gateway.file(id, signal)).url };
  } finally {
    // A call that never started leaves the stream untouched; close its source.
    if (!body.locked) await body.cancel().catch(() => {});
  }
}

function capped(max: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > max) controller.error(new Error(`the picture is larger than ${max} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
