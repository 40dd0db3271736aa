import { createHash } from "node:crypto";
import { createByteStore } from "gangway-messenger/kit/emulator/byte-store";
import { randomText } from "gangway-messenger/kit/emulator/random";

export interface Medium {
  id: string;
  /** Who may use it: a phone number id or a page. */
  owner: string;
  name: string;
  mediaType: string;
  size: number;
  /** Hex. */
  sha256: string;
  /** Unix time, ms. */
  until: number;
  /** May be read from disk. */
  readonly bytes: Uint8Array;
}
export interface Media {
  add(medium: { owner: string; name: string; mediaType: string; bytes: Uint8Array; lifeMs: number }): Medium;
  /** Undefined once it has expired. */
  find(id: string): Medium | undefined;
  remove(id: string): void;
  /** Path and query of an address for the bytes; `guarded`: it needs a token. */
  link(medium: Medium, lifeMs: number, guarded: boolean): string;
  /** What the address gives. */
  opened(id: string, hash: string): { medium: Medium; guarded: boolean } | undefined;
  clear(): void;
  close(): void;
}

/** Path under which media are served, as at Meta's. */
export const MEDIA_PATH = "/whatsapp_business/attachments/";

export function createMedia(now: () => number, random: () => number): Media {
  const media = new Map<string, Medium>();
  const links = new Map<string, { id: string; until: number; guarded: boolean }>();
  const shelf = createByteStore();
  return {
    add({ bytes, lifeMs, ...given }) {
      const id = String(Math.floor(1e15 + random() * 8e15));
      shelf.put(id, bytes);
      const medium: Medium = {
        id,
        ...given,
        size: bytes.byteLength,
        sha256: createHash("sha256").update(bytes).digest("hex"),
        until: now() + lifeMs,
        get bytes() {
          return shelf.get(id);
        },
      };
      media.set(id, medium);
      return medium;
    },
    find(id) {
      const medium = media.get(id);
      return medium && now() < medium.until ? medium : undefined;
    },
    remove: (id) => void media.delete(id),
    link({ id }, lifeMs, guarded) {
      const hash = `ARd${randomText(40, random)}`;
      links.set(hash, { id, until: now() + lifeMs, guarded });
      return `${MEDIA_PATH}?mid=${id}&ext=${Math.floor((now() + lifeMs) / 1000)}&hash=${hash}`;
    },
    opened(id, hash) {
      const link = links.get(hash);
      const medium = media.get(id);
      if (link?.id !== id || now() >= link.until || !medium) return undefined;
      return { medium, guarded: link.guarded };
    },
    clear() {
      media.clear();
      links.clear();
    },
    close: shelf.close,
  };
}
