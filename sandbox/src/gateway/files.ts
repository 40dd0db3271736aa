import { randomUUID } from "node:crypto";
import { readCapped } from "gangway-messenger/kit/emulator/capped";
import { mediaTypeOf, UNKNOWN_TYPE } from "gangway-messenger/kit/emulator/sniff";
import type { Context } from "hono";
import type { Env } from "../exchange.ts";
import { decode } from "../judge.ts";
import { Refusal } from "../refusal.ts";
import type { SandboxFile, World } from "../world.ts";
import { fileInForm } from "./form-file.ts";
import { measuresOf } from "./measures.ts";

/** The gateway's limit, bytes. */
const MAX_FILE = 20 * 1024 * 1024;

/** A raw body or a multipart form with one file: clients use both, with both APIs. */
export async function storeUpload(world: World, c: Context<Env>): Promise<SandboxFile> {
  const type = c.req.header("content-type") ?? "";
  const body = Buffer.from(await c.req.raw.arrayBuffer());
  if (!/^multipart\/form-data/i.test(type))
    return store(world, body, decode(c.req.header("x-file-name") ?? "file"), type);
  const file = fileInForm(body, type);
  if (!file) throw new Refusal(400, "File is missing", "a form carries one file");
  return store(world, file.bytes, file.name, file.mediaType);
}

const URL_MS = 10_000;

/** Downloads from the module's URL; a failed download is the module's error. */
export async function storeFromUrl(world: World, url: string): Promise<SandboxFile> {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (!address || !/^https?:$/.test(address.protocol)) throw new Refusal(400, "URL is not valid", "the URL is http(s)");
  const answer = await fetch(address, { signal: AbortSignal.timeout(URL_MS) }).catch(() => undefined);
  const bytes = answer?.ok ? await readCapped(answer, MAX_FILE).catch(() => undefined) : undefined;
  if (!answer || !bytes) throw new Refusal(400, "File could not be downloaded", "the URL gives a file");
  const name = decode(address.pathname.split("/").at(-1) ?? "") || "file";
  return store(world, bytes, name, answer.headers.get("content-type") ?? undefined);
}

function store(world: World, bytes: Uint8Array, name: string, declared: string | undefined): SandboxFile {
  if (bytes.byteLength === 0) throw new Refusal(400, "File is empty", "a file has bytes");
  if (bytes.byteLength > MAX_FILE) throw new Refusal(400, "File is too large", "a file has at most 20 MiB");
  const safe = name.replaceAll(/[/\\]/g, "_").replace(/^\.+/, "_") || "file";
  const file = { id: randomUUID(), name: safe, mediaType: mediaTypeOf(bytes, declared), bytes, ...measuresOf(bytes) };
  world.files.set(file.id, file);
  return file;
}

/** The contract's FileType; `none` for an unknown media type. */
export function kindOf(mediaType: string): "audio" | "file" | "image" | "none" | "video" {
  if (mediaType.startsWith(UNKNOWN_TYPE)) return "none";
  return (/^(image|audio|video)\//.exec(mediaType)?.[1] as "image" | undefined) ?? "file";
}

export const fileUrl = (file: SandboxFile, origin: string): string =>
  `${origin}/files/${file.id}/${encodeURIComponent(file.name)}`;

export const fileRecord = (file: SandboxFile, origin: string) => ({
  id: file.id,
  type: kindOf(file.mediaType),
  mime_type: file.mediaType,
  size: file.bytes.byteLength,
  url: fileUrl(file, origin),
});

export const botFile = (file: SandboxFile) => ({
  id: file.id,
  type: kindOf(file.mediaType),
  size: file.bytes.byteLength,
  transcription: file.transcription ?? null,
  ...(file.transcriptionStatus && { transcription_status: file.transcriptionStatus }),
});

/** Inline for pictures and sound, else a download. */
export function serveFile(file: SandboxFile): Response {
  const inline = /^(image\/(png|jpeg|gif|webp)|audio\/\w+)$/.test(file.mediaType);
  return new Response(new Uint8Array(file.bytes), {
    headers: {
      "content-type": file.mediaType,
      "content-disposition": inline ? "inline" : "attachment",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    },
  });
}
