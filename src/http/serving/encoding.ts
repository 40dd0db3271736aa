import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { createMiddleware } from "hono/factory";
import type { Env } from "./env.ts";

export type Encoding = "br" | "gzip";

/** Smallest body to compress, bytes: a smaller one fits into the packet of its headers. */
const MIN_BYTES = 1024;
const PREFERRED: Encoding[] = ["br", "gzip"];
/** Brotli's default level takes ten times as long as gzip; this one is as fast, and smaller. */
const QUICK_BROTLI = 5;

/** The best encoding that `Accept-Encoding` allows; undefined for none. */
export function encodingFor(accepted = ""): Encoding | undefined {
  const weights = new Map(
    accepted.split(",").map((part) => {
      const [name = "", ...parameters] = part.toLowerCase().split(";");
      const weight = parameters.map((each) => /^\s*q=([\d.]+)\s*$/.exec(each)?.[1]).find(Boolean);
      return [name.trim(), Number(weight ?? 1)];
    }),
  );
  return PREFERRED.find((name) => (weights.get(name) ?? weights.get("*") ?? 0) > 0);
}

/** Undefined for a body too small to compress. */
export async function encoded(
  bytes: Uint8Array,
  encoding: Encoding,
  brotliQuality: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (bytes.byteLength < MIN_BYTES) return undefined;
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
  const made = encoding === "br" ? await promisify(brotliCompress)(bytes, { params }) : await promisify(gzip)(bytes);
  return new Uint8Array(made);
}

/**
 * Compresses whole answers. Not for event streams or machine endpoints, nor for pages with a secret that is the same each
 * time: reflected input next to it would leak it through the page's length (BREACH). Form tokens are masked.
 */
export const compressed = createMiddleware<Env>(async (c, next) => {
  await next();
  const { status, headers } = c.res;
  if (!c.res.body || c.req.method === "HEAD" || headers.has("content-encoding")) return;
  if (headers.get("content-type")?.startsWith("text/event-stream")) return;
  const bytes = new Uint8Array(await c.res.arrayBuffer());
  const encoding = encodingFor(c.req.header("accept-encoding"));
  const made = encoding && (await encoded(bytes, encoding, QUICK_BROTLI));
  c.res = new Response(made ?? bytes, { status, headers });
  if (bytes.byteLength >= MIN_BYTES) c.res.headers.append("vary", "accept-encoding");
  if (made && encoding) c.res.headers.set("content-encoding", encoding);
  c.res.headers.delete("content-length");
});
