import { onAbort } from "gangway-messenger/clock";
import type { HostedContext, PageLimit } from "gangway-messenger/hosted";
import { type ChatId, fingerprint } from "gangway-messenger/ids";
import type { OutboundEvent, Told } from "./events.ts";
import type { Settings } from "./wire.ts";

// The app's events are kept in one log of the whole channel, whether or not the app has a URL of its own.

type Context = HostedContext<Settings>;

/** No chat of an app has this id. */
const LOG = "" as ChatId;
const ONE: PageLimit = { entries: 1, bytes: 1 };
const PAGE_BYTES = 512 * 1024;

/** An id in this channel: the same for the same name. */
export const idOf = ({ channelId }: Pick<Context, "channelId">, prefix: "evt" | "msg", name: string): string =>
  `${prefix}_${fingerprint(`${channelId} ${name}`).slice(0, 22)}`;

/** Path of a kept file, below the door: the log does not contain the door itself. */
export const pathOf = (id: string): string => `files/${id}`;

/** As the app receives it. */
function toldAs({ doorUrl }: Context, entry: unknown): OutboundEvent {
  const event = entry as OutboundEvent;
  if (event.type !== "message.created") return event;
  const files = event.data.files.map((file) => ({
    ...file,
    url: file.url.startsWith(pathOf("")) ? `${doorUrl}/${file.url}` : file.url,
  }));
  return { ...event, data: { ...event.data, files } };
}

/** The events under a key, oldest first. */
export async function told(context: Context, chat: ChatId, key: string): Promise<OutboundEvent[]> {
  return (await context.journal.under(LOG, key, chat)).map(({ entry }) => toldAs(context, entry));
}

/** Logs an event under its key, unless there is one. Names of files are paths. */
export async function tell(context: Context, chat: ChatId, key: string, what: Told): Promise<OutboundEvent> {
  const id = idOf(context, "evt", JSON.stringify([chat, key]));
  const event = { id, timestamp: new Date(context.clock.now()).toISOString(), ...what } as OutboundEvent;
  await context.journal.append([{ chat: LOG, of: chat, key, entry: event }]);
  return toldAs(context, event);
}

export interface Page {
  events: OutboundEvent[];
  cursor: string;
  more: boolean;
}

/** A cursor may be ahead of the log: the server was restored from a backup. */
const lastIn = async (journal: Context["journal"]) => (await journal.latest(LOG, ONE)).at(-1)?.position ?? 0;

export async function pageAfter(context: Context, position: number, entries: number): Promise<Page> {
  const { journal } = context;
  const records = await journal.after(LOG, position, { entries, bytes: PAGE_BYTES });
  const last = records.at(-1)?.position ?? Math.min(position, await lastIn(journal));
  const more = records.length > 0 && (await journal.after(LOG, last, ONE)).length > 0;
  return { events: records.map(({ entry }) => toldAs(context, entry)), cursor: String(last), more };
}

/**
 * Waits for the next event. `over` resolves once there may be one, after `ms`, or when the session or the poll ends.
 */
export function waitForEvents({ journal, clock, closed }: Context, ms: number, asker: AbortSignal) {
  let ends: (() => void)[] = [];
  const end = () => {
    for (const each of ends) each();
    ends = [];
  };
  const over = new Promise<void>((resolve) => {
    ends = [journal.watch(LOG, resolve), clock.after(ms, resolve), onAbort(closed, resolve), onAbort(asker, resolve)];
    if (closed.aborted || asker.aborted) resolve();
  });
  return { over, end };
}
