import type Sqlite from "better-sqlite3";
import type { Orm } from "../../tables/engine.ts";

export type { Orm };

/** Statements are compiled once, on first use: compiling one costs more than running it. */
export interface Statements {
  statements<S>(prepareAll: (orm: Orm) => S): S;
  /** One of raw SQL. */
  prepared(text: string): Sqlite.Statement;
}

export function statementCache(sqlite: Sqlite.Database, orm: Orm): Statements {
  const groups = new Map<unknown, unknown>();
  const single = new Map<string, Sqlite.Statement>();
  return {
    statements<S>(prepareAll: (orm: Orm) => S): S {
      const known = groups.get(prepareAll) as S | undefined;
      if (known) return known;
      const made = prepareAll(orm);
      groups.set(prepareAll, made);
      return made;
    },
    prepared(text) {
      const statement = single.get(text) ?? sqlite.prepare(text);
      single.set(text, statement);
      return statement;
    },
  };
}
