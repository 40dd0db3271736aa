import { Hono } from "hono";
import type { Sockets } from "../bot/socket.ts";
import type { Env } from "../exchange.ts";
import type { World } from "../world.ts";
import { ArchiveError, readArchive } from "./read.ts";
import { archived } from "./write.ts";

/** `GET` and `PUT /sandbox/account.ndjson`: the whole account, streamed. */
export function archiveRoutes(world: World, sockets: Sockets): Hono<Env> {
  const site = new Hono<Env>();
  site.get("/account.ndjson", (c) => c.body(archived(world), 200, { "content-type": "application/x-ndjson" }));
  site.put("/account.ndjson", async (c) => {
    const { body } = c.req.raw;
    if (!body) return c.json({ errors: ["The body is empty"] }, 400);
    try {
      const records = await readArchive(world, body);
      // Tokens may have changed.
      sockets.close(1000, false);
      return c.json({ success: true, records });
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      return c.json({ errors: [error.message] }, 400);
    }
  });
  return site;
}
