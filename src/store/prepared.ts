import type { Database } from "./db.ts";

/** A statement that is built once a database: on the paths of every event, building costs more than running. */
export function prepared<Statement>(build: (db: Database) => Statement): (db: Database) => Statement {
  const known = new WeakMap<Database, Statement>();
  return (db) => {
    const statement = known.get(db) ?? build(db);
    known.set(db, statement);
    return statement;
  };
}
