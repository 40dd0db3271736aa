import type { Clock } from "gangway-messenger/clock";
import { eventResponse, type Sink } from "gangway-messenger/event-stream";
import type { Streams } from "gangway-messenger/hosted";
import type { Context } from "hono";
import type { AccountId } from "../../domain/ids.ts";
import { createLoop, type Loop } from "../../domain/loop.ts";
import { type Env, pageIn } from "../serving/request.ts";
import type { Onlooker } from "../visit/visit-guard.ts";

/** Tells an account's open pages by server-sent events that its figures have changed. The page then reloads itself. */
export interface Live {
  /** The stream's address for a page that is rendered now; later changes are reported there. */
  address(c: Context<Env>): string;
  open(c: Context<Env>, onlooker: Onlooker, address: string): Response;
  /** Ends all streams and refuses new ones. */
  close(): void;
}

export interface LiveParts {
  /** Changes with every change of the account. No I/O. */
  version(account: AccountId): string;
  streamsOf(account: AccountId): Streams;
  clock: Clock;
  log: { warn(event: string, fields: Record<string, string>): void };
}

/** Interval of version checks while any page is open, ms. */
const LOOK_MS = 1_000;
/** Minimum interval between events of a stream, ms: each makes its browser load a page. */
const REST_MS = 4_000;
/** Heartbeat of an idle stream, ms: keeps proxies open, proves the stream alive, detects ended visits. */
const HEARTBEAT_MS = 20_000;
/** Streams per visit, one for each visible window. */
const MAX_STREAMS = 4;
/** Unread bytes at which a stream is ended; an event has about thirty. */
const BUFFER_BYTES = 1_024;
/** Reconnection delay sent to the browser, ms. */
const RETRY_MS = 3_000;

interface Stream {
  onlooker: Onlooker;
  sink: Sink;
  seen: string;
  toldAt: number;
  beatAt: number;
  release(): void;
}

const encoder = new TextEncoder();

export function createLive({ version, streamsOf, clock, log }: LiveParts): Live {
  const streams = new Set<Stream>();
  let [loop, closed]: [Loop | undefined, boolean] = [undefined, false];
  const end = (stream: Stream) => {
    if (!streams.delete(stream)) return;
    stream.release();
    if (streams.size === 0) {
      void loop?.stop();
      loop = undefined;
    }
    stream.sink.close();
  };
  const write = (stream: Stream, text: string) => {
    stream.beatAt = clock.monotonic();
    if (stream.sink.unread() < BUFFER_BYTES) stream.sink.write(encoder.encode(text));
    else end(stream);
  };
  const look = async (stream: Stream, now: string) => {
    const [since, isChanged] = [clock.monotonic(), now !== stream.seen];
    const tells = isChanged && since - stream.toldAt >= REST_MS;
    if (!tells && !isChanged && since - stream.beatAt < HEARTBEAT_MS) return;
    // The change may be the visit's end.
    if (!(await stream.onlooker.lasts())) return end(stream);
    if (!tells) return since - stream.beatAt < HEARTBEAT_MS ? undefined : write(stream, "event: beat\ndata:1\n\n");
    [stream.seen, stream.toldAt] = [now, since];
    write(stream, `event: changed\nid: ${now}\ndata: ${now}\n\n`);
  };
  const round = async () => {
    const versions = new Map<AccountId, string>();
    for (const stream of streams) {
      const { id } = stream.onlooker.visit.account;
      const now = versions.get(id) ?? version(id);
      versions.set(id, now);
      await look(stream, now).catch(() => end(stream));
    }
  };
  const failed = (error: unknown) => log.warn("pages.not-live", { error: String(error) });
  const add = (stream: Stream) => {
    streams.add(stream);
    write(stream, `retry: ${RETRY_MS}\n\n`);
    if (loop) return;
    loop = createLoop({ clock, everyMs: LOOK_MS, waitsFirst: true, round, failed });
    void loop.start();
  };
  return {
    address: (c) => `${pageIn(c)}/live?seen=${version(c.get("visit").account.id)}`,
    open(c, onlooker, address) {
      const { account, id } = onlooker.visit;
      const slots = streamsOf(account.id);
      const hasRoom = () => {
        const own = [...streams].filter((each) => each.onlooker.visit.id === id);
        return !closed && own.length < MAX_STREAMS && slots.hasRoom(address);
      };
      if (!hasRoom()) return c.body(null, 429);
      const seen = c.req.header("last-event-id") ?? c.req.query("seen") ?? "";
      return eventResponse((sink) => {
        const now = clock.monotonic();
        const release = hasRoom() ? slots.take(address) : undefined;
        if (!release) {
          sink.close();
          return { gone() {} };
        }
        const stream = { onlooker, sink, seen, toldAt: now - REST_MS, beatAt: now, release };
        add(stream);
        return { gone: () => end(stream) };
      });
    },
    close() {
      closed = true;
      for (const stream of streams) end(stream);
    },
  };
}
