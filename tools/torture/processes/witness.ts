import { Client } from "pg";

// What the database itself has seen: who held which account, and who ended which message.

/** Waits for members that are joining: none may be missed. */
const PREPARE = `
  LOCK TABLE member IN SHARE ROW EXCLUSIVE MODE;
  CREATE TABLE torture_name (owner text PRIMARY KEY, process text NOT NULL);
  CREATE TABLE torture_late (message bigint, process text, holder text, was text, now text, at timestamptz DEFAULT clock_timestamp());
  INSERT INTO torture_name SELECT owner, 'p0' FROM member;
  CREATE FUNCTION torture_join() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO torture_name VALUES (NEW.owner, current_setting('application_name')) ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  CREATE TRIGGER torture_join AFTER INSERT ON member FOR EACH ROW EXECUTE FUNCTION torture_join();
  CREATE FUNCTION torture_end() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE holder text; BEGIN
    SELECT process INTO holder FROM account_lease JOIN torture_name USING (owner)
      WHERE account_id = OLD.account_id
        AND fence = CASE WHEN OLD.state = 'sending' AND NEW.state <> 'sending' THEN OLD.fence ELSE OLD.ack_fence END;
    IF holder <> current_setting('application_name') THEN
      INSERT INTO torture_late VALUES (OLD.id, current_setting('application_name'), holder,
        OLD.state || ' ' || coalesce(OLD.ack, ''), NEW.state || ' ' || coalesce(NEW.ack, ''));
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER torture_end AFTER UPDATE ON message FOR EACH ROW
    WHEN (OLD.state = 'sending' AND NEW.state <> 'sending' OR OLD.ack = 'sending' AND NEW.ack IS DISTINCT FROM 'sending')
    EXECUTE FUNCTION torture_end();`;
const HELD = "SELECT DISTINCT owner FROM account_lease JOIN torture_name USING (owner) WHERE process = $1";
const LEASES = `SELECT account.id, owner, process, fence, expires_at - extract(epoch FROM clock_timestamp()) * 1000 AS "leftMs"
  FROM account FULL JOIN account_lease ON account_id = account.id FULL JOIN member USING (owner) LEFT JOIN torture_name USING (owner)`;
const LEFT = "SELECT count(*)::int AS count FROM account_lease WHERE owner = ANY($1)";
const TAKINGS = "SELECT sum(fence)::int AS count FROM account_lease";
const OTHERS =
  "CREATE TABLE torture_other AS SELECT repeat(md5(n::text), 32) AS text FROM generate_series(1, 4000) AS n";
const LATE = "SELECT message, process, holder, was, now FROM torture_late";
const LIVE = `SELECT id, channel_id, direction, chat, state, ack, fence, attempts, run_at - extract(epoch FROM now()) * 1000 AS due
  FROM message WHERE state IN ('ready','sending','waiting') OR ack IN ('due','sending') ORDER BY id LIMIT 20`;

/** `url`: of the primary, past all links. */
export function witnessOf(url: () => string) {
  const query = async <T>(text: string, values?: unknown[]): Promise<T[]> => {
    const client = new Client({ connectionString: url() });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return (await client.query(text, values)).rows as T[];
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  return {
    prepare: async () => void (await query(PREPARE)),
    /** The names under which a process holds accounts. */
    ownersOf: async (process: string) => (await query<{ owner: string }>(HELD, [process])).map(({ owner }) => owner),
    /** Who holds which account, and who holds none. */
    leases: () => query<Record<string, unknown>>(LEASES),
    /** How many accounts are held under these names. */
    heldBy: async (owners: string[]) => (await query<{ count: number }>(LEFT, [owners]))[0]?.count ?? 0,
    /** How often an account was taken. */
    takings: async () => (await query<{ count: number }>(TAKINGS))[0]?.count ?? 0,
    /** What another program of the same PostgreSQL writes, if it can: 4 MiB. */
    write: () =>
      query(OTHERS).then(
        () => undefined,
        () => undefined,
      ),
    /** Results that a process has recorded of a message that another had taken over. */
    late: () => query<{ message: string; process: string; holder: string; was: string; now: string }>(LATE),
    /** What has not ended. */
    live: () => query<Record<string, unknown>>(LIVE),
  };
}
export type Witness = ReturnType<typeof witnessOf>;
