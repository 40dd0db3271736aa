import type { GroupCommit } from "./group-commit.ts";

/** For memory that mirrors the database: what a rolled-back write changed in it is undone. */
export function undoing() {
  let running: (() => void)[] | undefined;
  const withUndo =
    (write: GroupCommit["write"]): GroupCommit["write"] =>
    (work, options) => {
      const undos: (() => void)[] = [];
      const recorded = () => {
        running = undos;
        try {
          return work();
        } finally {
          running = undefined;
        }
      };
      const undone = () => {
        for (const undo of undos.splice(0).reverse()) undo();
        options?.undone?.();
      };
      return write(recorded, { ...options, undone });
    };
  return { withUndo, onUndo: (undo: () => void) => void running?.push(undo) };
}
