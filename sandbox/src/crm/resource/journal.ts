/** What a write has changed so far. */
export interface Journal {
  /** Tells how to take back a change that is made now. */
  note(undo: () => void): void;
  /** Runs a write. One that throws leaves nothing behind. */
  whole<T>(write: () => T): T;
}

export function createJournal(): Journal {
  let open: (() => void)[] | undefined;
  return {
    note: (undo) => void open?.push(undo),
    whole(write) {
      // A write within a write ends with the outer one.
      if (open) return write();
      const changes: (() => void)[] = [];
      open = changes;
      try {
        return write();
      } catch (error) {
        open = undefined;
        for (const undo of changes.reverse()) undo();
        throw error;
      } finally {
        open = undefined;
      }
    },
  };
}
