import type Sqlite from "better-sqlite3";

/** Commits of other connections to the database: an operator's command may run beside the server. */
export interface OtherWriters {
  /** How often they were found to have written. Within a transaction the answer holds until its end. */
  look(): number;
  /** Looks, but once per tick of the event loop. */
  lookOnceATick(): void;
  onWritten(forget: () => void): void;
}

export function watchOtherWriters(sqlite: Sqlite.Database): OtherWriters {
  const version = sqlite.prepare("PRAGMA data_version").pluck();
  const listeners: (() => void)[] = [];
  let seen = version.get();
  let times = 0;
  let looked = false;
  const look = () => {
    const now = version.get();
    if (now === seen) return times;
    seen = now;
    times += 1;
    for (const forget of listeners) forget();
    return times;
  };
  return {
    look,
    lookOnceATick() {
      if (looked) return;
      looked = true;
      setImmediate(() => {
        looked = false;
      });
      look();
    },
    onWritten: (forget) => void listeners.push(forget),
  };
}
