import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { isHosted } from "gangway-messenger/hosted";
import type { ChannelAdapter } from "gangway-messenger/port";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Env } from "./request.ts";

type Encoding = "br" | "gzip";

/** Smallest body to compress, in bytes: a smaller one fits into the packet with its headers. */
const MIN_BYTES = 1024;
const PREFERRED: Encoding[] = ["br", "gzip"];
/** Brotli quality for pages: the default takes ten times as long as gzip; this is as fast as gzip, and smaller. */
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
async function encoded(
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
 * Compresses whole responses. Not for event streams, machine endpoints or pages with a constant secret: reflected input
 * beside it would leak it through the length (BREACH). Form tokens are masked.
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

/** A public file, held in memory once per encoding. */
interface Asset {
  mediaType: string;
  etag: string;
  plain: Uint8Array<ArrayBuffer>;
  br?: Uint8Array<ArrayBuffer>;
  gzip?: Uint8Array<ArrayBuffer>;
}

async function assetOf(plain: Uint8Array<ArrayBuffer>, mediaType: string): Promise<Asset> {
  const made = (encoding: Encoding) => encoded(plain, encoding, constants.BROTLI_MAX_QUALITY);
  const [br, gzip] = await Promise.all([made("br"), made("gzip")]);
  const etag = createHash("sha256").update(plain).digest("base64url").slice(0, 22);
  return { mediaType, etag, plain, br, gzip };
}

function serve(c: Context<Env>, asset: Asset, own: Record<string, string>): Response {
  const wanted = encodingFor(c.req.header("accept-encoding"));
  const encoding = wanted && asset[wanted] && wanted;
  const etag = `"${asset.etag}${encoding ? `-${encoding}` : ""}"`;
  const headers = {
    "content-type": asset.mediaType,
    "cache-control": "public, max-age=300",
    "x-content-type-options": "nosniff",
    etag,
    ...(asset.gzip && { vary: "accept-encoding" }),
    ...own,
  };
  // Compressing proxies make the tag weak.
  const known = (c.req.header("if-none-match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (known.includes(etag) || known.includes("*")) return c.body(null, 304, headers);
  if (!encoding) return c.body(asset.plain, 200, headers);
  return c.body(asset[encoding] ?? asset.plain, 200, { ...headers, "content-encoding": encoding });
}

export function textAsset(text: string, mediaType: string) {
  let made: Promise<Asset> | undefined;
  return async (c: Context<Env>): Promise<Response> => {
    made ??= assetOf(new TextEncoder().encode(text), mediaType);
    return serve(c, await made, {});
  };
}

/** Serves a build file with `after` appended; 404 if the sources run without a build. */
export function fileAsset(file: URL, mediaType: string, after = "") {
  let made: Promise<Asset> | undefined;
  return async (c: Context<Env>): Promise<Response> => {
    made ??= readFile(file).then((bytes) =>
      assetOf(new Uint8Array(Buffer.concat([bytes, Buffer.from(after)])), mediaType),
    );
    const asset = await made.catch(() => undefined);
    return asset ? serve(c, asset, {}) : c.text("Not found", 404);
  };
}

const TO_OTHER_SITES = { "cross-origin-resource-policy": "cross-origin", "access-control-allow-origin": "*" };

/** `/channels/:kind/:name`: a messenger's files for other sites, such as the chat script. */
export function channelAssets(adapters: ChannelAdapter[]) {
  const known = new Map<string, Asset>();
  const load = async (kind: string, name: string) => {
    const found = known.get(`${kind}/${name}`);
    if (found) return found;
    const assets = adapters.filter(isHosted).find((adapter) => adapter.kind === kind)?.assets ?? {};
    const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (!asset) return undefined;
    const bytes = "file" in asset ? await readFile(asset.file) : new TextEncoder().encode(asset.text());
    const loaded = await assetOf(new Uint8Array(bytes), asset.mediaType);
    // Concurrent first requests each load the file; keep one copy.
    const first = known.get(`${kind}/${name}`) ?? loaded;
    known.set(`${kind}/${name}`, first);
    return first;
  };
  return async (c: Context<Env>): Promise<Response> => {
    const asset = await load(c.req.param("kind") ?? "", c.req.param("name") ?? "");
    return asset ? serve(c, asset, TO_OTHER_SITES) : c.text("Not found", 404);
  };
}
