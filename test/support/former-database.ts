import { Client } from "pg";

/** The former module's tables after all of its migrations. */
export const FORMER_TABLES = `
  CREATE TABLE connection (
    id serial NOT NULL CONSTRAINT connection_pkey PRIMARY KEY,
    client_id varchar(70) NOT NULL, api_key varchar(100) NOT NULL, api_url varchar(255) NOT NULL,
    mg_url varchar(255) NOT NULL, mg_token varchar(100) NOT NULL,
    created_at timestamp with time zone, updated_at timestamp with time zone, active boolean,
    CONSTRAINT connection_key UNIQUE (client_id, mg_token)
  );
  CREATE TABLE bot (
    id serial NOT NULL CONSTRAINT bot_pkey PRIMARY KEY,
    channel text NOT NULL, token varchar(100) NOT NULL, name varchar(40),
    created_at timestamp with time zone, updated_at timestamp with time zone,
    connection_id integer REFERENCES connection ON DELETE CASCADE,
    channel_settings_hash varchar(70), lang varchar(2),
    CONSTRAINT bot_key UNIQUE (channel, token)
  );
  CREATE TABLE mg_user (
    id serial NOT NULL CONSTRAINT users_pkey PRIMARY KEY,
    external_id integer NOT NULL, user_photo_url varchar(255), user_photo_id varchar(100),
    created_at timestamp with time zone DEFAULT current_timestamp,
    updated_at timestamp with time zone DEFAULT current_timestamp,
    CONSTRAINT users_key UNIQUE (external_id)
  );
  CREATE TABLE schema_migrations (version bigint NOT NULL PRIMARY KEY, dirty boolean NOT NULL);
  INSERT INTO schema_migrations VALUES (1545914948, false);
`;

export interface FormerRow {
  clientId: string;
  apiKey: string;
  apiUrl: string;
  mgUrl: string;
  mgToken: string;
  active: boolean;
  bots: { token: string; name: string; channel: string; lang: string }[];
}

export async function fillFormer(connectionString: string, rows: FormerRow[]): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    for (const { clientId, apiKey, apiUrl, mgUrl, mgToken, active, bots } of rows) {
      const values = [clientId, apiKey, apiUrl, mgUrl, mgToken, active];
      const added = await client.query(
        `INSERT INTO connection (client_id, api_key, api_url, mg_url, mg_token, active, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, now()) RETURNING id`,
        values,
      );
      for (const { token, name, channel, lang } of bots)
        await client.query("INSERT INTO bot (connection_id, channel, token, name, lang) VALUES ($1, $2, $3, $4, $5)", [
          ...[added.rows[0].id, channel, token, name, lang],
        ]);
    }
  } finally {
    await client.end();
  }
}
