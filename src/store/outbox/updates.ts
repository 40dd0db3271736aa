import type { Job } from "../../domain/delivery/delivery.ts";
import { columns } from "../tables/engine.ts";
import { isTaken } from "../tables/messages/messages.ts";
import { type MessageRow, messages } from "../tables/schema.ts";

// What becomes of a job is an update of its row. It checks that the job is still under way under its fence: the next holder of
// the lease changes the fence of all that it takes over.

/** What an update changes, and the state that it requires. */
export type Kind = "message" | "ack" | "overdue";

export interface Update {
  kind: Kind;
  job: Pick<Job, "id" | "fence" | "ackVersion">;
  set: Partial<MessageRow>;
}

export type MessageColumn = keyof MessageRow;
export const columnOf = (name: MessageColumn): string => messages[name].name;

/** How an engine writes the values of an update. */
export interface Dialect {
  value(name: MessageColumn | "was" | "version"): string;
  /** A column of tries with one more, or as it is if there is no error. */
  tried(name: "tries" | "ackTries"): string;
  /** Whether the ack leaves with the update that owes it, where SQL decides that. */
  leaves?: string;
}

export function currentOf(kind: Kind, { value }: Dialect): string {
  if (kind === "message") return `message.state = 'sending' AND message.fence = ${value("was")}`;
  if (kind === "overdue") return `message.state IN ('ready','waiting') AND message.deadline_at <= ${value("was")}`;
  return `message.ack = 'sending' AND message.ack_fence = ${value("was")} AND message.ack_version = ${value("version")}`;
}

/** The texts of updates, by their kind and the columns that they set: each is built once. */
export function textsBy(build: (kind: Kind, names: MessageColumn[]) => string): (update: Update) => string {
  const texts = new Map<string, string>();
  return ({ kind, set }) => {
    const names = (Object.keys(set) as MessageColumn[]).filter((name) => set[name] !== undefined);
    const key = `${kind} ${names.join()}`;
    const text = texts.get(key) ?? build(kind, names);
    texts.set(key, text);
    return text;
  };
}

export const assignmentsOf = (kind: Kind, names: MessageColumn[], dialect: Dialect): string =>
  names.map((name) => `${columnOf(name)} = ${expressionOf(kind, name, names, dialect)}`).join(", ");

function expressionOf(kind: Kind, name: MessageColumn, names: MessageColumn[], dialect: Dialect): string {
  const value = dialect.value(name);
  if (name === "tries" || name === "ackTries") return dialect.tried(name);
  if (name === "gatewayMessageId" || name === "messengerMessageId") return unlessTaken(name, value);
  // A new debt replaces an older one.
  if (name === "ackVersion") return "message.ack_version + 1";
  if (name === "state") return unlessResumed(value);
  if (kind === "ack" && name === "updatedAt") return unlessLive(value);
  if (!dialect.leaves || !names.includes("ackFence")) return value;
  if (name === "ack") return `CASE WHEN ${dialect.leaves} THEN 'sending' ELSE 'due' END`;
  if (name === "ackAttempts") return `CASE WHEN ${dialect.leaves} THEN 1 ELSE 0 END`;
  return value;
}

/** An id that another message has: that one keeps it, as after a restored backup, or when a messenger echoes our own message. */
const unlessTaken = (name: MessageColumn, value: string) =>
  `CASE WHEN ${isTaken("message", columnOf(name), value)} THEN message.${columnOf(name)} ELSE ${value} END`;
/** If the channel was resumed or removed meanwhile, it runs again. */
const unlessResumed = (value: string) => `CASE WHEN ${value} = 'waiting' AND NOT EXISTS (
  SELECT 1 FROM channel WHERE id = message.channel_id AND channel.state = 'stopped') THEN 'ready' ELSE ${value} END`;
/** A live message's times are those of its own delivery. */
const unlessLive = (value: string): string =>
  `CASE WHEN message.state IN ('ready','sending','waiting') THEN message.updated_at ELSE ${value} END`;

/** What a claim sets of a message, or of an ack. `fence`: SQL of its lease's. */
export const claimSets = (fence: string) => ({
  message: `state = 'sending', attempts = message.attempts + 1, begun = 0, in_own_code = 0, fence = ${fence}, updated_at = @now`,
  ack: `ack = 'sending', ack_attempts = message.ack_attempts + 1, ack_fence = ${fence}, in_own_code = 0,
    updated_at = ${unlessLive("@now")}`,
});
/** When a message, or an ack, can be claimed. `head`: no older message of its lane is live. */
export const CLAIMABLE = {
  message: "head = 1 AND message.state = 'ready' AND run_at <= @now",
  ack: "message.ack = 'due' AND ack_at <= @now",
};

const OF_MESSAGE = [
  ...(["id", "accountId", "channelId", "direction", "kind", "chat", "events", "album", "state"] as const),
  ...(["ack", "crashes", "fatalCrashes", "updatedAt"] as const),
] as const;
const OF_ACK = ["ackVersion", "ackAttempts", "ackDeadlineAt", "ackFence"] as const;
const OF_LANE = ["head", "known", "runAt", "ackAt"] as const;

/** What an update returns, besides the state of the ack before. `OF_LANE`: for what is then next in its lane. */
export type Recorded = Pick<MessageRow, (typeof OF_MESSAGE)[number] | (typeof OF_ACK)[number]> & {
  ackBefore: MessageRow["ack"] | undefined;
  /** Accepted events of its album's other parts. */
  carried: number;
};
export type RecordedLane = Recorded & Pick<MessageRow, (typeof OF_LANE)[number]>;

const CARRIED = `CASE WHEN message.album IS NULL THEN 0
  ELSE (SELECT coalesce(sum(part.events), 0) FROM message AS part WHERE part.carrier = message.id) END AS carried`;
const listOf = (names: readonly MessageColumn[]) => columns(messages, names).replaceAll(/(^|, )/g, "$1message.");
export const RETURNED = `${listOf([...OF_MESSAGE, ...OF_ACK])}, ${CARRIED}`;
export const RETURNED_LANE = `${listOf([...OF_MESSAGE, ...OF_ACK, ...OF_LANE])}, ${CARRIED}`;
