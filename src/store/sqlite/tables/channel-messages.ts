import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import type { Channel } from "../../../domain/channel.ts";
import { INBOUND_PATIENCE_MS } from "../../../domain/delivery.ts";
import type { ChannelId } from "../../../domain/ids.ts";
import { messages } from "../../tables/schema.ts";
import { ENDED } from "../../tables/states.ts";
import type { Database } from "../database/db.ts";
import { refuseAcks } from "./acks.ts";
import { liveOfChannel } from "./lanes.ts";
import { bookEnd } from "./tally.ts";

export function moveMessages(db: Database, id: ChannelId, state: Channel["state"], now: number): void {
  const { orm } = db;
  const inbound = and(liveOfChannel(id), eq(messages.direction, "inbound"));
  const outbound = and(liveOfChannel(id), eq(messages.direction, "outbound"));
  if (state === "stopped")
    orm
      .update(messages)
      .set({ state: "waiting" })
      .where(and(outbound, eq(messages.state, "ready")))
      .run();
  if (state === "active")
    orm
      .update(messages)
      .set({ state: "ready", runAt: now })
      .where(and(outbound, eq(messages.state, "waiting")))
      .run();
  // What waited out a pause gets its full time.
  if (state === "active")
    orm
      .update(messages)
      .set({ deadlineAt: now + INBOUND_PATIENCE_MS })
      .where(and(inbound, eq(messages.state, "ready")))
      .run();
  if (state !== "removed") return;
  const error = "the channel was removed";
  const end = (where: SQL | undefined) =>
    orm
      .update(messages)
      .set({ state: "dead", head: 0, errorCode: "general", error, updatedAt: now, endedAt: now })
      .where(where)
      .returning()
      .all();
  const ofAccount = eq(messages.accountId, sql`(SELECT account_id FROM channel WHERE id = ${id})`);
  const liveEnded = end(and(liveOfChannel(id), ne(messages.state, "sending")));
  const heldEnded = end(and(ofAccount, ENDED, eq(messages.state, "held"), eq(messages.channelId, id)));
  for (const row of [...liveEnded, ...heldEnded]) bookEnd(db, row, "refused");
  for (const row of liveEnded) db.pressure.ended(row);
  refuseAcks(db, and(ofAccount, eq(messages.channelId, id)), error, now);
}
