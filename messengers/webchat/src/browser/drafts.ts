import { parsed } from "./json.ts";
import type { Memory } from "./memory.ts";
import type { Draft } from "./protocol.ts";

/**
 * Messages that the server has not acknowledged. Each is a stored item of its own, so that tabs do not overwrite each
 * other.
 */
export interface Drafts {
  /** Oldest first. */
  all(): Draft[];
  put(draft: Draft): void;
  /** `now`, or a time after all drafts, so that drafts of the same millisecond keep their order. */
  time(now: number): number;
  drop(id: string): void;
}

export function createDrafts(memory: Memory): Drafts {
  const read = (name: string): Draft[] => {
    const draft = parsed<Draft>(memory.get(name));
    return draft?.id && Array.isArray(draft.files) ? [draft] : [];
  };
  const all = () =>
    memory
      .names("draft:")
      .flatMap(read)
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  return {
    all,
    time: (now) => Math.max(now, (all().at(-1)?.at ?? 0) + 1),
    put: (draft) => memory.set(`draft:${draft.id}`, JSON.stringify(draft)),
    drop: (id) => memory.set(`draft:${id}`, null),
  };
}

/** `crypto.randomUUID` is missing on pages without https. */
export function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 15) | 64;
  bytes[8] = ((bytes[8] ?? 0) & 63) | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
