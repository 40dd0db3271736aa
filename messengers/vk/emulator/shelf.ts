import { createByteStore } from "gangway-messenger/kit/emulator/byte-store";
import { randomText } from "gangway-messenger/kit/emulator/random";

export interface Stored {
  id: number;
  name: string;
  mediaType: string;
  size: number;
  /** May be read from disk. */
  readonly bytes: Uint8Array;
}
/** Files that people and communities have sent, and uploads that are not saved yet. */
export interface Shelf {
  add(file: { name: string; mediaType: string; bytes: Uint8Array }): Stored;
  find(id: number): Stored | undefined;
  /** A ticket for what belongs to one community: an upload's address, or an upload. */
  ticket(of: Ticket): string;
  redeem(ticket: string): Ticket | undefined;
  /** By its name in `attachment`: `photo-1_2_key`. */
  keep(name: string, attachment: object): void;
  kept(name: string): object | undefined;
  clear(): void;
  close(): void;
}
export interface Ticket {
  community: number;
  kind: "photo" | "doc" | "audio_message" | "graffiti";
  file?: number;
}

export function createShelf(random: () => number): Shelf {
  const files = new Map<number, Stored>();
  const tickets = new Map<string, Ticket>();
  const attachments = new Map<string, object>();
  const store = createByteStore();
  let last = 456_239_000;
  return {
    add({ name, mediaType, bytes }) {
      last += 1;
      const key = String(last);
      store.put(key, bytes);
      const stored: Stored = {
        ...{ id: last, name, mediaType, size: bytes.byteLength },
        get bytes() {
          return store.get(key);
        },
      };
      files.set(last, stored);
      return stored;
    },
    find: (id) => files.get(id),
    ticket(of) {
      const ticket = randomText(32, random);
      tickets.set(ticket, of);
      return ticket;
    },
    redeem: (ticket) => tickets.get(ticket),
    keep: (name, attachment) => void attachments.set(name, attachment),
    kept: (name) => attachments.get(name),
    clear() {
      for (const each of [files, tickets, attachments]) each.clear();
    },
    close: store.close,
  };
}
