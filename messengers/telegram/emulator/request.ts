import { readMultipart } from "gangway-messenger/kit/emulator/multipart";
import type { Context } from "hono";
import type { Upload } from "./files.ts";
import type { RawCall } from "./parameters.ts";
import { BotRefusal, badRequest } from "./refusal.ts";

/** A 50 MB file and its form, bytes. */
const MAX_BODY = 51 * 1024 * 1024;

export const tooLarge = (): BotRefusal => new BotRefusal(413, "Request Entity Too Large");

export async function readCall(c: Context): Promise<RawCall> {
  const query = Object.entries(c.req.query());
  if (c.req.method === "GET") return { values: new Map(query), isForm: true };
  const { values, isForm } = readValues(c.req.header("content-type") ?? "", await readBody(c.req.raw));
  return { values: new Map([...query, ...values]), isForm };
}

/** Reads a body's parameters. Throws BotRefusal when it is malformed. */
export function readValues(contentType: string, body: Buffer): RawCall {
  if (/^application\/json/i.test(contentType))
    return { values: new Map(Object.entries(objectOf(body))), isForm: false };
  if (!/^multipart\/form-data/i.test(contentType))
    return { values: new Map(new URLSearchParams(body.toString("utf8"))), isForm: true };
  const values = new Map<string, unknown>();
  for (const { name, fileName, mediaType, bytes } of readMultipart(body, contentType)) {
    const upload: Upload = { name: fileName ?? "", mediaType, bytes };
    values.set(name, fileName === undefined ? Buffer.from(bytes).toString("utf8") : upload);
  }
  return { values, isForm: true };
}

function objectOf(body: Buffer): object {
  if (body.length === 0) return {};
  try {
    const read: unknown = JSON.parse(body.toString("utf8"));
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return read;
  } catch {
    // Refused below, like any non-object.
  }
  throw badRequest("can't parse JSON object");
}

/** Reads to the end even when too large, so that the client receives the answer. */
async function readBody(request: Request): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size <= MAX_BODY) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size > MAX_BODY) throw tooLarge();
  return Buffer.concat(chunks);
}
