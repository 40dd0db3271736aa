import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { chatOfLane } from "../../src/domain/delivery.ts";
import { fitGatewayId } from "../../src/domain/message.ts";

type Row = Record<string, string | number | null>;
type Look = (sql: string) => Row[];

/** JavaScript's latest date, ms. */
const LAST_MOMENT = 8.64e15;
/** Maximum length of an id at the gateway (contract). */
const MAX_ID_LENGTH = 255;
const LIVE = "('ready','sending','waiting')";

/** Faults in a closed server's database, one line each; none if every invariant holds. */
export function brokenRows(folder: string): string[] {
  const db = new Sqlite(join(folder, "gangway.db"), { readonly: true });
  try {
    const look: Look = (sql) => db.prepare(sql).all() as Row[];
    return [...whole(look), ...lanes(look), ...messages(look), ...owners(look), ...texts(look)];
  } finally {
    db.close();
  }
}

const each = (rows: Row[], what: string): string[] =>
  rows.map((row) => `${what}: ${JSON.stringify(row).slice(0, 300)}`);

function whole(look: Look): string[] {
  const checks = look("PRAGMA integrity_check").filter((row) => row.integrity_check !== "ok");
  return [...each(checks, "the file is damaged"), ...each(look("PRAGMA foreign_key_check"), "a row points nowhere")];
}

/** Each lane has one head, its oldest live message; a finished one is never a head. */
function lanes(look: Look): string[] {
  const heads = `SELECT channel_id, direction, chat, sum(head) AS heads, min(position) AS oldest,
    max(CASE WHEN head = 1 THEN position END) AS front
    FROM message WHERE state IN ${LIVE} GROUP BY channel_id, direction, chat HAVING heads <> 1 OR oldest <> front`;
  return [
    ...each(look(heads), "a lane without its one head"),
    ...each(
      look(`SELECT id, state FROM message WHERE head <> 0 AND state NOT IN ${LIVE}`),
      "a finished message is a head",
    ),
    ...each(
      look("SELECT id, carrier FROM message WHERE (state = 'carried') <> (carrier IS NOT NULL)"),
      "a part of no album",
    ),
  ];
}

function messages(look: Look): string[] {
  const counts = `SELECT id FROM message WHERE attempts < 0 OR unsure < 0 OR crashes < 0 OR fence < 0 OR ack_attempts < 0
    OR (state = 'dead' AND (error IS NULL OR error_code IS NULL))`;
  const acks = `SELECT id, ack FROM message WHERE ack IN ('due','sending') AND (ack_body IS NULL OR ack_at IS NULL
    OR ack_deadline_at IS NULL) OR ack = 'given' AND ack_body IS NOT NULL`;
  return [
    ...each(look(counts), "a message with impossible counts"),
    ...each(look(acks), "an ack without its content"),
    ...look("SELECT id, direction, kind, chat, payload, work FROM message WHERE payload IS NOT NULL").flatMap((row) => {
      const fault = messageFault(row);
      return fault ? each([{ id: row.id ?? 0, payload: row.payload ?? "" }], `a message ${fault}`) : [];
    }),
  ];
}

interface Item {
  type?: unknown;
  key?: unknown;
  chat?: unknown;
  messengerMessageId?: unknown;
  gatewayMessageId?: unknown;
  at?: unknown;
}

function messageFault({ direction, kind, chat, payload, work }: Row): string | undefined {
  const item = parsed(payload) as Item | undefined;
  if (!item) return "whose payload is no JSON";
  if (item.type !== kind) return "of another kind than its payload";
  if (typeof item.chat !== "string" || item.chat === "" || item.chat !== chatOfLane(String(chat)))
    return "in another chat's lane";
  if (work !== null && !isWork(parsed(work))) return "whose plan is inconsistent";
  return itemFault(item, direction === "inbound");
}

function itemFault(item: Item, inbound: boolean): string | undefined {
  const id = item.messengerMessageId ?? item.gatewayMessageId;
  if (typeof item.type !== "string" || typeof id !== "string" || id === "") return "without a type or an id";
  if (!inbound) return undefined;
  if (id.length > MAX_ID_LENGTH) return "whose id the gateway would refuse";
  if (typeof item.key !== "string" || item.key === "") return "without a key";
  const isMoment = typeof item.at === "number" && Math.abs(item.at) <= LAST_MOMENT;
  return isMoment ? undefined : "at an impossible time";
}

function isWork(value: unknown): boolean {
  const { plan, progress } = (value ?? {}) as { plan?: { steps?: unknown[] }; progress?: { done?: unknown } };
  const steps = plan?.steps?.length ?? 0;
  return steps > 0 && typeof progress?.done === "number" && progress.done >= 0 && progress.done <= steps;
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

/** Every row belongs to an existing channel, and messages to its account. */
function owners(look: Look): string[] {
  const lost = ["message", "part", "chat", "journal", "note", "kept_file"].flatMap((table) =>
    each(
      look(`SELECT '${table}' AS name, channel_id FROM ${table} WHERE channel_id NOT IN (SELECT id FROM channel)`),
      "a row of no channel",
    ),
  );
  const foreign = `SELECT message.id FROM message LEFT JOIN channel ON channel.id = message.channel_id
    WHERE channel.account_id IS NULL OR channel.account_id <> message.account_id`;
  const times = `SELECT id FROM message WHERE run_at NOT BETWEEN 0 AND ${LAST_MOMENT} OR deadline_at NOT BETWEEN 0 AND ${LAST_MOMENT}
    OR typeof(run_at) <> 'integer' OR typeof(deadline_at) <> 'integer'`;
  return [
    ...lost,
    ...each(look(foreign), "a message of another account"),
    ...each(look(times), "a message out of time"),
  ];
}

function texts(look: Look): string[] {
  const ids = look("SELECT id, messenger_message_id, gateway_message_id FROM message").filter(
    (row) => row.messenger_message_id === "" || row.gateway_message_id === "",
  );
  const chats = look("SELECT chat, gateway_chat FROM chat").filter(
    (row) =>
      row.chat === "" ||
      [...String(row.gateway_chat)].length > 64 ||
      (row.gateway_chat !== row.chat && row.gateway_chat !== fitGatewayId(String(row.chat))),
  );
  const entries = look("SELECT position, entry FROM journal").filter(({ entry }) => {
    const { type, id } = (parsed(entry) ?? {}) as { type?: unknown; id?: unknown };
    return typeof type !== "string" || typeof id !== "string";
  });
  const sealed = ["api_key", "client_id", "webhook", "gateway_token"].map((name) => `${name}_sealed NOT LIKE 'v1.%'`);
  const open = [
    ...look(`SELECT id FROM account WHERE ${sealed.join(" OR ")}`),
    ...look("SELECT id FROM channel WHERE settings_sealed NOT LIKE 'v1.%' OR door_sealed NOT LIKE 'v1.%'"),
  ];
  return [
    ...each(ids, "a message without its ids"),
    ...each(chats, "a chat without its ids"),
    ...each(entries, "an unreadable journal entry"),
    ...each(open, "a secret in the open"),
  ];
}
