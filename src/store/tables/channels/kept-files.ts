import { and, eq } from "drizzle-orm";
import type { Clock } from "gangway-messenger/clock";
import type { Uploader } from "gangway-messenger/hosted";
import { newId } from "gangway-messenger/ids";
import type { Bounds } from "../../../domain/delivery.ts";
import type { KeptFileStore } from "../../channels.ts";
import { type Engine, first, run, type Verb } from "../engine.ts";
import { keptFiles } from "../schema.ts";

/** Storage for bytes of kept files. Bytes are written before the row that names their file. */
export interface FileBytes {
  /** Resolves with their number. */
  add(id: string, bytes: AsyncIterable<Uint8Array>): Promise<number>;
  read(id: string): AsyncIterable<Uint8Array>;
  /** Number of bytes; undefined if some are missing. */
  sizeOf(id: string): Promise<number | undefined>;
  remove(id: string): Promise<void>;
}

const DAY_MS = 86_400_000;

/** Bytes kept for a channel: in all, and since the day (UTC) began. */
const KEPT_SUMS = `SELECT coalesce(sum(bytes), 0) AS "all", coalesce(sum(bytes) FILTER (WHERE day = @day), 0) AS day
  FROM kept_sum WHERE channel_id = @channelId`;

/** Tombstones found in a channel. */
export interface Buried {
  /** The whole channel was erased. */
  gone: boolean;
  /** Last erasure of one of the names; undefined: never, or they have written again since. */
  at?: number;
}

interface Parts {
  engine: Engine;
  clock: Clock;
  bounds: Bounds;
  bytes: FileBytes;
  /** `held`: as the first statement of a write: no erasure begins in the channel before the write ends. */
  buried(channelId: string, names: string[], held?: "held"): Verb<Buried>;
  /** Throws Overload. */
  refuse(bound: "files", of: { channelId: string }): void;
  /** Throws Overload when there is no room for any file. */
  admit?(): void;
  /** Turns failures of the byte storage into a refusal to be retried. */
  orLater?<T>(work: Promise<T>): Promise<T>;
}

export function keptFileStore(parts: Parts): KeptFileStore {
  const { clock, bytes, buried, orLater = (work) => work } = parts;
  const { read, write } = parts.engine;
  const admit = async (channelId: string, uploader: Uploader): Promise<void> => {
    parts.admit?.();
    const day = Math.floor(clock.now() / DAY_MS);
    const sums = await read(() => first<Record<"all" | "day", number>>(KEPT_SUMS, { channelId, day }));
    const most = parts.bounds.files[uploader];
    if (sums && (sums.day >= most.day || sums.all >= most.all)) parts.refuse("files", { channelId });
  };
  return {
    async keep(channelId, file, maxBytes, tooLarge, { uploader = "agent", chat } = {}) {
      const names = chat === undefined ? [] : [chat];
      // An erasure before this point does not matter: the file begins a new conversation.
      const before = await read(() => buried(channelId, names));
      await admit(channelId, uploader);
      const id = newId<string>();
      let isNamed = false;
      try {
        const size = await orLater(bytes.add(id, upTo(maxBytes, file.body, tooLarge)));
        const row = { channelId, id, name: file.name, mediaType: file.mediaType, size, createdAt: clock.now(), chat };
        // Perhaps even by a commit that reports a failure.
        isNamed = true;
        isNamed = await write(function* ({ orm }): Verb<boolean> {
          const { gone, at } = yield* buried(channelId, names, "held");
          if (gone || (at !== undefined && at !== before.at)) return false;
          yield* run(orm.insert(keptFiles).values(row));
          return true;
        });
        return { id, size };
      } finally {
        // Leftover bytes are deleted later, since no row names them.
        if (!isNamed) await bytes.remove(id).catch(() => undefined);
      }
    },
    async open(channelId, id) {
      const own = and(eq(keptFiles.channelId, channelId), eq(keptFiles.id, id));
      const row = await read(({ orm }) => first(orm.select().from(keptFiles).where(own)));
      if (!row) return undefined;
      const body = await orLater(streamOf(bytes.read(id)));
      return { body, name: row.name ?? undefined, mediaType: row.mediaType, size: row.size };
    },
  };
}

/** Reads the first bytes now, so that a failure comes before any answer. */
async function streamOf(bytes: AsyncIterable<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const iterator = bytes[Symbol.asyncIterator]();
  let next = await iterator.next();
  return new ReadableStream({
    async pull(controller) {
      if (next.done) return controller.close();
      controller.enqueue(next.value);
      next = await iterator.next();
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

async function* upTo(
  maxBytes: number,
  body: AsyncIterable<Uint8Array>,
  tooLarge: () => Error,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const bytes of body) {
    size += bytes.length;
    if (size > maxBytes) throw tooLarge();
    yield bytes;
  }
}
