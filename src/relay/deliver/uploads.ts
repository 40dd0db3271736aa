import type { ChannelSession } from "../../channels/port.ts";
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
}

export interface UploadParts {
  session: ChannelSession;
  gateway: Gateway;
  language: Language;
  /** Runs the upload of one file; a stray that keeps coming back becomes a refusal. */
  watch<T>(file: string, act: () => Promise<T>): Promise<T>;
}

/** Uploads the files one by one. A refused file becomes a line of text: the message still arrives. */
export async function uploadFiles(
  parts: UploadParts,
  content: Extract<Content, { files: FilePart[] }>,
  signal: AbortSignal,
): Promise<Uploaded> {
  const files: GatewayFileId[] = [];
  const kept: FilePart[] = [];
  const missing: string[] = [];
  for (const [n, part] of content.files.entries()) {
    try {
      files.push(await parts.watch(`file ${n}`, () => uploadFile(parts, part, signal)));
      kept.push(part);
    } catch (error) {
      if (!(error instanceof DeliveryError) || error.verdict.type !== "reject") throw error;
      missing.push(missingFileText(part, parts.language));
    }
  }
  if (missing.length === 0) return { content, files };
  const words = [content.note, ...missing].filter(Boolean).join("\n");
  if (kept.length === 0) return { content: { type: "text", text: words, marks: content.marks }, files };
  return { content: { ...content, files: kept, note: words }, files };
}

async function uploadFile(
  { session, gateway }: UploadParts,
  part: FilePart,
  signal: AbortSignal,
): Promise<GatewayFileId> {
  const { file, name, mediaType } = part;
  if (file.at === "gateway") return file.id;
  if (file.at === "web" || !session.files)
    throw new DeliveryError({ type: "reject", code: "general" }, "the messenger offers no files");
  const open = await session.files.open(file.ref, signal).catch(blameMessenger);
  const { body, fault } = trackingFault(open.body);
  const whole = { ...open, body, name: name ?? open.name, mediaType: mediaType ?? open.mediaType };
  try {
    return await gateway.uploadFile(whole, signal).catch((error) => {
      const broken = fault();
      const reason = broken instanceof DeliveryError ? broken : error;
      if (broken === undefined || signal.aborted) throw reason;
      return blameMessenger(reason);
    });
  } finally {
    // A call that never started leaves the stream untouched; close its source.
    if (!open.body.locked) await open.body.cancel().catch(() => {});
  }
}

/** Remembers why the bytes broke off: the call that carries them does not report it. */
function trackingFault(source: ReadableStream<Uint8Array>) {
  let fault: unknown;
  async function* bytes() {
    try {
      yield* source;
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
