import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import type { Env } from "./exchange.ts";
import { Refusal } from "./refusal.ts";
import type { SandboxFile, World } from "./world.ts";

/** The gateway's own limit, bytes. */
const LARGEST = 20 * 1024 * 1024;

/** Bytes as the body, or as the one file of a multipart form: both are seen. */
export async function keepUpload(world: World, c: Context<Env>): Promise<SandboxFile> {
  const type = c.req.header("content-type") ?? "application/octet-stream";
  if (!type.startsWith("multipart/form-data")) {
    const name = decodeURIComponent(c.req.header("x-file-name") ?? "file");
    return keep(world, new Uint8Array(await c.req.raw.arrayBuffer()), name, type);
  }
  const form = await c.req.raw.formData();
  const file = [...form.values()].find((value) => typeof value !== "string");
  if (!file || typeof file === "string") throw new Refusal(400, "File is missing");
  return keep(world, new Uint8Array(await file.arrayBuffer()), file.name, file.type);
}

const URL_MS = 10_000;

/** Fetches what the module points at; an address that gives nothing is the module's fault. */
export async function keepFromUrl(world: World, url: string): Promise<SandboxFile> {
  if (!/^https?:$/.test(new URL(url).protocol)) throw new Refusal(400, "URL is not valid");
  const answer = await fetch(url, { signal: AbortSignal.timeout(URL_MS) }).catch(() => undefined);
  if (!answer?.ok) throw new Refusal(400, "File could not be downloaded");
  const name = decodeURIComponent(new URL(url).pathname.split("/").at(-1) ?? "") || "file";
  const mediaType = answer.headers.get("content-type") ?? "application/octet-stream";
  return keep(world, new Uint8Array(await answer.arrayBuffer()), name, mediaType);
}

function keep(world: World, bytes: Uint8Array, name: string, mediaType: string): SandboxFile {
  if (bytes.byteLength === 0) throw new Refusal(400, "File is empty");
  if (bytes.byteLength > LARGEST) throw new Refusal(400, "File is too large");
  const file = { id: randomUUID(), name, mediaType, bytes };
  world.files.set(file.id, file);
  return file;
}

const kindOf = (mediaType: string) => /^(image|audio|video)\//.exec(mediaType)?.[1] ?? "file";

export const fileUrl = (file: SandboxFile, origin: string): string =>
  `${origin}/files/${file.id}/${encodeURIComponent(file.name)}`;

export const fileRecord = (file: SandboxFile, origin: string) => ({
  id: file.id,
  type: kindOf(file.mediaType),
  mime_type: file.mediaType,
  size: file.bytes.byteLength,
  url: fileUrl(file, origin),
});

/** The bytes themselves; saved, unless a picture. */
export function serveFile(file: SandboxFile): Response {
  const inline = /^image\/(png|jpeg|gif|webp)$/.test(file.mediaType);
  return new Response(new Uint8Array(file.bytes), {
    headers: {
      "content-type": file.mediaType,
      "content-disposition": inline ? "inline" : "attachment",
      "x-content-type-options": "nosniff",
    },
  });
}
