import type { z } from "zod";
import { isOverNested } from "../../domain/nesting.ts";
import type { HostedReceipt } from "../hosted.ts";
import { JSON_BYTES, type Settings } from "./wire.ts";

/** A request that is answered with a no. `path` names the first fault of a body. */
export class Refusal extends Error {
  readonly status: number;
  readonly path: string;
  /** Seconds after which it may be asked again. */
  readonly retryAfter: number | undefined;
  constructor(status: number, message: string, path = "", retryAfter?: number) {
    super(message);
    this.status = status;
    this.path = path;
    this.retryAfter = retryAfter;
  }
}

export const receipt = (body: unknown, extra: Partial<HostedReceipt> = {}, status = 200): HostedReceipt => ({
  events: [],
  reply: Response.json(body, { status, headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" } }),
  ...extra,
});

export function refuse({
  status,
  message,
  path,
  retryAfter,
}: Omit<Refusal, keyof Error> & { message: string }): HostedReceipt {
  const refused = receipt({ error: { message, ...(path && { path }) } }, {}, status);
  // The rest of the body is not waited for.
  if (status === 408) refused.reply.headers.set("connection", "close");
  if (retryAfter !== undefined) refused.reply.headers.set("retry-after", String(retryAfter));
  return refused;
}

/** A request without an Origin comes from no page; the token still has to be right. */
export function allows({ allowedOrigins }: Settings, origin: string | null): boolean {
  return !origin || allowedOrigins.length === 0 || allowedOrigins.includes(origin.toLowerCase());
}

/** Lets the page read the answer, also a refusal; without credentials, since the token is no cookie. */
export function withCors(result: HostedReceipt, origin: string | null): HostedReceipt {
  const { headers } = result.reply;
  headers.append("vary", "Origin");
  if (!origin) return result;
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-expose-headers", "retry-after");
  return result;
}

/** The body as its schema reads it. Throws Refusal. */
export async function readJson<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<z.infer<Schema>> {
  const text = await readText(request);
  if (isOverNested(text)) throw new Refusal(400, "is nested too deeply or holds too much", "(body)");
  const read = readShape(text, schema);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw new Refusal(400, first?.message ?? "is not as agreed", first?.path.join(".") || "(body)");
}

function readShape<Schema extends z.ZodType>(text: string, schema: Schema) {
  try {
    return schema.safeParse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refusal(400, "is not JSON", "(body)");
    // The library compares the `length` of whatever has one: an object there that is no number makes it throw.
    if (error instanceof TypeError) throw new Refusal(400, "is not as agreed", "(body)");
    throw error;
  }
}

async function readText(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > JSON_BYTES) throw new Refusal(413, "The message is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
