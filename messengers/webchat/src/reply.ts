import { isOverNested } from "gangway-messenger/call";
import type { HostedReceipt } from "gangway-messenger/hosted";
import type { z } from "zod";
import { JSON_BYTES, type Settings } from "./wire.ts";

/** Ends a request with an error response. `path`: the first invalid field of the body. */
export class Refusal extends Error {
  readonly status: number;
  readonly path: string;
  /** For the Retry-After header, s. */
  readonly retryAfter: number | undefined;
  constructor(status: number, message: string, path = "", retryAfter?: number) {
    super(message);
    this.status = status;
    this.path = path;
    this.retryAfter = retryAfter;
  }
}

/** `retryAfter`: seconds to wait, 0 if none. */
export function checkRate(retryAfter: number): void {
  if (retryAfter > 0) throw new Refusal(429, "Too many requests; please wait a moment", "", retryAfter);
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
  // Do not wait for the rest of the body.
  if (status === 408) refused.reply.headers.set("connection", "close");
  if (retryAfter !== undefined) refused.reply.headers.set("retry-after", String(retryAfter));
  return refused;
}

/** A request without an Origin is not from a web page; its token is checked all the same. */
export function allows({ allowedOrigins }: Settings, origin: string | null): boolean {
  return !origin || allowedOrigins.length === 0 || allowedOrigins.includes(origin.toLowerCase());
}

/** Lets pages of other origins read the response, including errors. No credentials: the token is not a cookie. */
export function withCors(result: HostedReceipt, origin: string | null): HostedReceipt {
  const { headers } = result.reply;
  headers.append("vary", "Origin");
  if (!origin) return result;
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-expose-headers", "retry-after");
  return result;
}

/** Parses the body. Throws Refusal. */
export async function readJson<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<z.infer<Schema>> {
  const text = await readText(request);
  if (isOverNested(text)) throw new Refusal(400, "is nested too deeply or has too many elements", "(body)");
  const read = readShape(text, schema);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw new Refusal(400, first?.message ?? "has the wrong shape", first?.path.join(".") || "(body)");
}

function readShape<Schema extends z.ZodType>(text: string, schema: Schema) {
  try {
    return schema.safeParse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refusal(400, "is not JSON", "(body)");
    // zod compares any `length` property; one that is an object makes it throw.
    if (error instanceof TypeError) throw new Refusal(400, "has the wrong shape", "(body)");
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
