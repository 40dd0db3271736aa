import type { ChannelSession } from "../../channels/port.ts";
import { type Clock, deadline } from "../../domain/clock.ts";
import { DeliveryError } from "../../domain/delivery.ts";
import type { GatewayFileId } from "../../domain/ids.ts";
import type { Language } from "../../domain/language.ts";
import { missingFileText } from "../../domain/loss.ts";
import type { Content, FilePart } from "../../domain/message.ts";
import type { Gateway } from "../../gateway/client.ts";

/** A customer's content with its files uploaded; files that could not be fetched are listed as text. */
interface Uploaded {
  content: Content;
  files: GatewayFileId[];
  /** Of those listed as text: they may still come. */
  late: FilePart[];
}

export interface UploadParts {
  clock: Clock;
  /** From then on a file that cannot be fetched becomes a line: the message and its chat go on without it. */
  lineAt: number;
  session: ChannelSession;
  gateway: Gateway;
  language: Language;
  /** Runs the upload of one file; a stray that keeps coming back becomes a refusal. */
  watch<T>(file: string, act: () => Promise<T>): Promise<T>;
}

/** How long a message waits for its files, ms: with a last fetch and the post it takes less than two minutes. */
export const LINE_MS = 90_000;
/** How often a file is tried meanwhile, and how long a fetch has at least, ms. */
const EVERY_MS = 5_000;
const FETCH_MS = 15_000;
const PICTURE = /^image\/(jpeg|png|gif|webp)\b/;

/** Uploads the files one by one. A refused file becomes a line of text: the message still arrives. */
export async function uploadFiles(parts: UploadParts, content: FilesContent, signal: AbortSignal): Promise<Uploaded> {
  const { clock, lineAt } = parts;
  const fetching = deadline(clock, Math.min(LINE_MS, Math.max(FETCH_MS, lineAt - clock.now())), signal);
  try {
    return await uploadWithin(parts, content, { signal, fetching: fetching.signal });
  } finally {
    fetching.end();
  }
}

type FilesContent = Extract<Content, { files: FilePart[] }>;
/** `fetching` also ends with the time for the files. */
type Signals = Record<"signal" | "fetching", AbortSignal>;

async function uploadWithin(parts: UploadParts, content: FilesContent, signals: Signals): Promise<Uploaded> {
  const files: GatewayFileId[] = [];
  const kept: FilePart[] = [];
  let arePictures = content.type === "file";
  const missing: string[] = [];
  const late: FilePart[] = [];
  for (const [n, part] of content.files.entries()) {
    try {
      const { id, mediaType = "" } = await parts.watch(`file ${n}`, () => uploadFile(parts, part, signals));
      files.push(id);
      kept.push(part);
      arePictures &&= part.mayBePicture === true && PICTURE.test(mediaType);
    } catch (error) {
      if (!isGivenUp(parts, error, signals)) throw soon(parts, error);
      missing.push(missingFileText(part, parts.language));
      if (error instanceof DeliveryError && error.verdict.type !== "reject") late.push(part);
    }
  }
  const type = arePictures && kept.length > 0 ? "image" : content.type;
  if (missing.length === 0) return { content: { ...content, type }, files, late };
  const words = [content.note, ...missing].filter(Boolean).join("\n");
  if (kept.length === 0) return { content: { type: "text", text: words, marks: content.marks }, files, late };
  return { content: { ...content, type, files: kept, note: words }, files, late };
}

/** Late files: those that could be fetched, and those that may still come. Throws when none could. */
export async function uploadLate(
  { session, gateway, clock }: Pick<UploadParts, "session" | "gateway" | "clock">,
  parts: FilePart[],
  signal: AbortSignal,
): Promise<Pick<Uploaded, "files" | "late"> & { kept: FilePart[] }> {
  const fetching = deadline(clock, LINE_MS, signal);
  const came = { files: [] as GatewayFileId[], kept: [] as FilePart[], late: [] as FilePart[] };
  let failure: unknown;
  try {
    for (const part of parts) {
      try {
        came.files.push((await uploadFile({ session, gateway }, part, { signal, fetching: fetching.signal })).id);
        came.kept.push(part);
      } catch (error) {
        const isRefused = error instanceof DeliveryError && error.verdict.type === "reject";
        if (!isRefused && !(error instanceof DeliveryError && error.fromOtherSide)) throw error;
        // Whatever the messenger's file server answers: it has its day. A refused one takes none of the others' day.
        if (!isRefused) came.late.push(part);
        if (isRefused) failure ??= error;
        else failure = Object.assign(new DeliveryError({ type: "retry" }, error.message), BLAMED);
      }
    }
  } finally {
    fetching.end();
  }
  if (came.kept.length === 0) throw failure;
  return came;
}
const BLAMED = { fromOtherSide: true };

function isGivenUp({ clock, lineAt }: UploadParts, error: unknown, { signal, fetching }: Signals): boolean {
  if (!(error instanceof DeliveryError) || signal.aborted) return false;
  if (error.verdict.type === "reject") return true;
  return error.fromOtherSide && (fetching.aborted || clock.now() >= lineAt);
}

/** Soon, and in time for the line. */
function soon({ clock, lineAt }: UploadParts, error: unknown): unknown {
  if (!(error instanceof DeliveryError) || !error.fromOtherSide || error.verdict.type !== "retry") return error;
  const afterMs = Math.min(EVERY_MS, Math.max(0, lineAt - clock.now()));
  return Object.assign(new DeliveryError({ type: "retry", afterMs }, error.message), BLAMED);
}

async function uploadFile(
  { session, gateway }: Pick<UploadParts, "session" | "gateway">,
  part: FilePart,
  { signal, fetching }: Signals,
): Promise<{ id: GatewayFileId; mediaType?: string }> {
  const { file, name, mediaType } = part;
  if (file.at === "gateway") return { id: file.id, mediaType };
  if (file.at === "web" || !session.files)
    throw new DeliveryError({ type: "reject", code: "general" }, "the messenger offers no files");
  const open = await session.files.open(file.ref, fetching).catch(blameMessenger);
  const { body, fault } = trackingFault(open.body, fetching);
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
}

/** Remembers why the bytes broke off: the call that carries them does not report it. */
function trackingFault(source: ReadableStream<Uint8Array>, fetching: AbortSignal) {
  let fault: unknown;
  async function* bytes() {
    try {
      for await (const chunk of source) {
        // The messenger drips, or its stream does not heed the signal.
        fetching.throwIfAborted();
        yield chunk;
      }
    } catch (error) {
      fault = error;
      throw error;
    }
  }
  return { body: ReadableStream.from(bytes()) as ReadableStream<Uint8Array>, fault: () => fault };
}

/** Dead credentials of a messenger must not rest the account's lanes toward the gateway. */
export function blameMessenger(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  const blamed = error.verdict.type === "reconnect" ? new DeliveryError({ type: "retry" }, error.message) : error;
  blamed.fromOtherSide = true;
  throw blamed;
}
