import type { ChannelSession } from "../../channels/port.ts";
import type { CardLanguage } from "../../domain/card.ts";
import { DeliveryError } from "../../domain/delivery.ts";
import type { GatewayFileId } from "../../domain/ids.ts";
import { missingFileText } from "../../domain/loss.ts";
import type { Content, FilePart } from "../../domain/message.ts";
import type { Gateway } from "../../gateway/client.ts";

/** A customer's content as the gateway gets it: its files are there, and those that could not be had are named. */
export interface Uploaded {
  content: Content;
  files: GatewayFileId[];
}

export interface Sides {
  session: ChannelSession;
  gateway: Gateway;
  language: CardLanguage;
  /** Runs the upload of one file: what keeps failing in a stranger's words is refused in the end. */
  watch<T>(file: string, act: () => Promise<T>): Promise<T>;
}

/** Hands the files over, one after another. What messenger or gateway refuse becomes a line: the words still arrive. */
export async function uploadFiles(sides: Sides, content: Content, signal: AbortSignal): Promise<Uploaded> {
  if (!("files" in content)) return { content, files: [] };
  const files: GatewayFileId[] = [];
  const kept: FilePart[] = [];
  const missing: string[] = [];
  for (const [n, part] of content.files.entries()) {
    try {
      files.push(await sides.watch(`file ${n}`, () => uploadFile(sides, part, signal)));
      kept.push(part);
    } catch (error) {
      if (!(error instanceof DeliveryError) || error.verdict.type !== "reject") throw error;
      missing.push(missingFileText(part, sides.language));
    }
  }
  if (missing.length === 0) return { content, files };
  const words = [content.note, ...missing].filter(Boolean).join("\n");
  if (kept.length === 0) return { content: { type: "text", text: words, marks: content.marks }, files };
  return { content: { ...content, files: kept, note: words }, files };
}

async function uploadFile({ session, gateway }: Sides, part: FilePart, signal: AbortSignal): Promise<GatewayFileId> {
  const { file, name, mediaType } = part;
  if (file.at === "gateway") return file.id;
  if (file.at === "web" || !session.files)
    throw new DeliveryError({ type: "reject", code: "general" }, "the messenger gives no files");
  const open = await session.files.open(file.ref, signal).catch(blameMessenger);
  const { body, fault } = remembering(open.body);
  const whole = { ...open, body, name: name ?? open.name, mediaType: mediaType ?? open.mediaType };
  try {
    return await gateway.uploadFile(whole, signal).catch((error) => {
      throw fault() instanceof DeliveryError ? fault() : error;
    });
  } finally {
    // A call that never began has not touched the stream, and its source would stay open.
    if (!open.body.locked) await open.body.cancel().catch(() => {});
  }
}

/** The same bytes, and why they broke off, if they did: the call that carries them does not tell. */
function remembering(source: ReadableStream<Uint8Array>) {
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

/** A messenger's dead credentials are no reason to rest the account's way to the gateway. */
export function blameMessenger(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  const told = error.verdict.type === "reconnect" ? new DeliveryError({ type: "retry" }, error.message) : error;
  told.elsewhere = true;
  throw told;
}
