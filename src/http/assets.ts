import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Context } from "hono";
import type { ChannelAdapter } from "../channels/port.ts";
import type { Env } from "./guard.ts";

/** `/channels/:kind/:name`: what a messenger serves to other sites, such as a script. */
export function channelAssets(adapters: ChannelAdapter[]) {
  const known = new Map<string, { bytes: Uint8Array<ArrayBuffer>; etag: string; mediaType: string }>();
  const load = async (kind: string, name: string) => {
    const found = known.get(`${kind}/${name}`);
    if (found) return found;
    const assets = adapters.find((adapter) => adapter.kind === kind)?.assets ?? {};
    const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (!asset) return undefined;
    // Every answer sends these same bytes: nobody writes to them, and those that wait to be read share them.
    const bytes = new Uint8Array(await readFile(asset.file));
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
    const loaded = { bytes, etag, mediaType: asset.mediaType };
    known.set(`${kind}/${name}`, loaded);
    return loaded;
  };
  return async (c: Context<Env>): Promise<Response> => {
    const asset = await load(c.req.param("kind") ?? "", c.req.param("name") ?? "");
    if (!asset) return c.text("Not found", 404);
    const headers = {
      "content-type": asset.mediaType,
      "cache-control": "public, max-age=300",
      etag: asset.etag,
      "cross-origin-resource-policy": "cross-origin",
      "access-control-allow-origin": "*",
      "x-content-type-options": "nosniff",
    };
    if (c.req.header("if-none-match") === asset.etag) return c.body(null, 304, headers);
    return c.body(asset.bytes, 200, headers);
  };
}
