import type { ChannelSession } from "../channels/port.ts";
import type { CardLanguage } from "../domain/card.ts";
import { DeliveryError } from "../domain/delivery.ts";
import type { GatewayFileId } from "../domain/ids.ts";
import { missingFileText } from "../domain/loss.ts";
import type { Content, FilePart } from "../domain/message.ts";
import type { Gateway } from "../gateway/client.ts";

/** A customer's content as the gateway gets it: its files are there, and those that could not be had are named. */
export interface Uploaded {
  content: Content;
  files: GatewayFileId[];
}

interface Sides {
  session: ChannelSession;
  gateway: Gateway;
  language: CardLanguage;
}

/** Hands the files over, one after another. What messenger or gateway refuse becomes a line: the words still arrive. */
export async function uploadFiles(sides: Sides, content: Content, signal: AbortSignal): Promise<Uploaded> {
  if (!("files" in content)) return { content, files: [] };
  const files: GatewayFileId[] = [];
  const kept: FilePart[] = [];
  const missing: string[] = [];
  for (const part of content.files) {
    try {
      files.push(await uploadFile(sides, part, signal));
      kept.push(part);
    } catch (error) {
      if (!(error instanceof DeliveryError) || error.verdict.type !== "reject") throw error;
      missing.push(missingFileText(part, sides.language));
    }
  }
  if (missing.length === 0) return { content, files };
  const words = [content.note, ...missing].filter(Boolean).join("\n");
  if (kept.length === 0) return { content: { type: "text", text: words }, files };
  return { content: { ...content, files: kept, note: words }, files };
}

async function uploadFile({ session, gateway }: Sides, part: FilePart, signal: AbortSignal): Promise<GatewayFileId> {
  const { file, name, mediaType } = part;
  if (file.at === "gateway") return file.id;
  if (file.at === "web" || !session.files)
    throw new DeliveryError({ type: "reject", code: "general" }, "the messenger gives no files");
  const open = await session.files.open(file.ref, signal).catch(blameMessenger);
  try {
    return await gateway.uploadFile(
      { ...open, name: name ?? open.name, mediaType: mediaType ?? open.mediaType },
      signal,
    );
  } finally {
    // A call that never began has not touched the stream, and its source would stay open.
    if (!open.body.locked) await open.body.cancel().catch(() => {});
  }
}

/** A messenger's dead credentials are no reason to rest the account's way to the gateway. */
export function blameMessenger(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  const told = error.verdict.type === "reconnect" ? new DeliveryError({ type: "retry" }, error.message) : error;
  told.elsewhere = true;
  throw told;
}
