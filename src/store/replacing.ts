import { and, eq } from "drizzle-orm";
import type { ChannelId, ChatId, MessengerMessageId } from "../domain/ids.ts";
import type { Database } from "./db.ts";
import { contentOf, LIVE, lane } from "./queue.ts";
import { jobs } from "./schema.ts";

/** Whether work under way in a chat deletes this message to send another in its place. */
export function isBeingReplaced(db: Database, channelId: ChannelId, chat: ChatId, id: MessengerMessageId): boolean {
  const rows = db.orm
    .select({ payload: jobs.payload, work: jobs.work })
    .from(jobs)
    .where(and(eq(jobs.lane, lane(channelId, "outbound", chat)), LIVE))
    .all();
  const steps = rows.flatMap((row) => contentOf(row)?.work?.plan.steps ?? []);
  return steps.some((step) => step.do === "send" && step.instead?.messengerMessageId === id);
}
