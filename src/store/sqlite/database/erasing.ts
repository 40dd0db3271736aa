import type Sqlite from "better-sqlite3";
import type { Act } from "../../audit.ts";
import { type Address, ifOpens, SealError, type Sealer } from "../../secrets.ts";
import { ERASURE } from "../../tables/sealed.ts";
import type { OtherWriters } from "./other-writers.ts";

// Erasures under way. They take many transactions; from the first one on, what they cover is neither sent nor changed.

/** Of a customer. */
export interface CustomerErasure {
  channelId: string;
  customer?: string;
  /** Chats with nobody else in them. */
  chats: string[];
  /** The customer's messages in other chats. */
  rows: number[];
  /** By which raw webhooks name the customer. */
  names: string[];
  /** The newest message and line of a history that existed then: later ones are a new conversation. */
  upTo: { message: number; line: number };
}
/** Of an account. */
export interface AccountErasure {
  channels: string[];
}
export interface Pending {
  id: string;
  accountId: string;
  by: Act;
  at: number;
  of: CustomerErasure | AccountErasure;
}

/** How many of each are gone. */
export type Counts = Record<"messages" | "files" | "webhooks" | "notes", number>;

export interface Erasing {
  /** Whether a message is being erased. */
  covers(id: number): boolean;
  pending(): Pending[];
  /** Call these within a write. */
  begin(erasure: Pending): void;
  count(id: string, more: Partial<Counts>): void;
  /** Undefined when somebody else has ended it. */
  end(id: string): Counts | undefined;
}

type Row = Record<"id" | "sealed", string>;
type Covered = { channelId: string; chat: string | null; carrier: number | null };

const addressOf = (row: string): Address => ({ ...ERASURE, row });

/** `onUndo`: of the write that is running. */
export function createErasing(
  sqlite: Sqlite.Database,
  others: OtherWriters,
  onUndo: (undo: () => void) => void,
  sealer?: Sealer,
): Erasing {
  const select = sqlite.prepare<[], Row>("SELECT id, sealed FROM erasure");
  const add = sqlite.prepare("INSERT INTO erasure (id, sealed) VALUES (?, ?)");
  const addCounts = sqlite.prepare(`UPDATE erasure SET messages = messages + @messages, files = files + @files,
    webhooks = webhooks + @webhooks, notes = notes + @notes WHERE id = @id`);
  const remove = sqlite.prepare<[string], Counts>(
    "DELETE FROM erasure WHERE id = ? RETURNING messages, files, webhooks, notes",
  );
  const find = sqlite.prepare<[number], Covered>(
    "SELECT channel_id AS channelId, chat, carrier FROM message WHERE id = ?",
  );
  let known: { erasure: Pending; includes(id: number, row: Covered): boolean }[] | undefined;
  const forget = () => {
    known = undefined;
  };
  others.onWritten(forget);
  const read = () =>
    select.all().flatMap(({ id, sealed }) => {
      const plain = ifOpens(() => needed(sealer).open(sealed, addressOf(id)));
      if (plain === undefined) return [];
      const erasure = JSON.parse(plain) as Pending;
      return [{ erasure, includes: inclusion(erasure.of) }];
    });
  const list = () => {
    known ??= read();
    return known;
  };
  const changed = () => {
    forget();
    onUndo(forget);
  };
  return {
    covers(id) {
      if (list().length === 0) return false;
      const row = find.get(id);
      return row !== undefined && list().some(({ includes }) => includes(id, row));
    },
    pending: () => list().map(({ erasure }) => erasure),
    begin(erasure) {
      add.run(erasure.id, needed(sealer).seal(JSON.stringify(erasure), addressOf(erasure.id)));
      changed();
    },
    count: (id, more) => void addCounts.run({ messages: 0, files: 0, webhooks: 0, notes: 0, ...more, id }),
    end(id) {
      changed();
      return remove.get(id);
    },
  };
}

function needed(sealer: Sealer | undefined): Sealer {
  if (!sealer) throw new SealError("erasures are sealed");
  return sealer;
}

function inclusion(of: Pending["of"]): (id: number, row: Covered) => boolean {
  if ("channels" in of) {
    const channels = new Set(of.channels);
    return (_, { channelId }) => channels.has(channelId);
  }
  const [chats, rows] = [new Set(of.chats), new Set(of.rows)];
  return (id, { channelId, chat, carrier }) =>
    channelId === of.channelId &&
    id <= of.upTo.message &&
    (chats.has(chat ?? "") || rows.has(id) || rows.has(carrier ?? Number.NaN));
}
