import { and, eq, inArray, type SQL } from "drizzle-orm";
import { all, run as runs, type Transaction, type Verb } from "../tables/engine.ts";
import { keptFiles } from "../tables/schema.ts";
import { ROWS, type Run, rest } from "./batches.ts";

/** Kept files' ids have this length. */
const FILE_ID = /[\w-]{22}/g;

/** Within a write: gives the erasure the files that these texts name, since the texts go first. */
export function* markFiles(
  { orm }: Transaction,
  mark: string,
  channelId: string,
  texts: (string | null)[],
): Verb<void> {
  const named = new Set(texts.flatMap((text) => text?.match(FILE_ID) ?? []));
  const theirs = and(eq(keptFiles.channelId, channelId), inArray(keptFiles.id, [...named]));
  if (named.size > 0) yield* runs(orm.update(keptFiles).set({ chat: mark }).where(theirs));
}

/** Bytes first: after a crash the rows still name them. */
export async function eraseFiles(run: Run, where: SQL | undefined): Promise<void> {
  const { erasingEngine, count } = run;
  const find = () =>
    erasingEngine.engine.read(({ orm }) =>
      all(orm.select({ id: keptFiles.id }).from(keptFiles).where(where).limit(ROWS)),
    );
  for (let ids = await find(); ids.length > 0; ids = await find()) {
    const some = ids.map(({ id }) => id);
    await erasingEngine.removeFiles(some);
    await erasingEngine.engine.write(function* ({ orm }) {
      const of = and(where, inArray(keptFiles.id, some));
      const gone = yield* all(orm.delete(keptFiles).where(of).returning({ id: keptFiles.id }));
      yield* count({ files: gone.length });
    });
    await rest(run);
  }
}
