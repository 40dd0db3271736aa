import { and, asc, eq, gte, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { Task } from "../../domain/delivery/delivery.ts";
import type { AccountId, JobId } from "../../domain/ids.ts";
import type { Clock } from "../../domain/time/clock.ts";
import type { Act } from "../audit.ts";
import type { DeadFilter, DeadLetter, DeadLetterDetails, DeadLetters } from "../dead.ts";
import { all, type Engine, first, type Transaction, type Verb } from "../tables/engine.ts";
import { contentOf } from "../tables/messages/contents.ts";
import { endedAs } from "../tables/messages/ended.ts";
import { chatOfLane } from "../tables/messages/late-lanes.ts";
import { channels, type MessageRow, messages } from "../tables/schema.ts";
import { ENDED } from "../tables/states.ts";
import { removed, sendAgain } from "./decisions.ts";
import type { Decide, Effects } from "./effects.ts";
import { ackJob, keyOf } from "./jobs.ts";

const ACCOUNT_OF = "SELECT account_id AS id FROM channel WHERE id = @channelId";

export function deadLetters({ read }: Pick<Engine, "read">, decide: Decide, clock: Clock): DeadLetters {
  const each = async (
    ids: number[],
    action: string,
    act: (effects: Effects, accountId: AccountId, id: JobId) => Verb<boolean>,
  ) => {
    let done = 0;
    for (const id of ids as JobId[]) {
      const row = (await read((tx) => find(tx, id)))?.row;
      if (!row) continue;
      const accountId = row.accountId as AccountId;
      const by = { actor: "operator", action, detail: detailOf(row) } as Act;
      if (await decide(accountId, id, by, (effects) => act(effects, accountId, id))) done += 1;
    }
    return done;
  };
  return {
    list: (filter) =>
      read(function* (tx) {
        return (yield* rows(tx, where(filter), filter.limit)).map(({ row, name }) => toLetter(row, name));
      }),
    show: (id) =>
      read(function* (tx) {
        const found = yield* find(tx, id);
        return found && toDetails(found.row, found.name);
      }),
    accountOf: async (channelId) => (await read(() => first<{ id: string }>(ACCOUNT_OF, { channelId })))?.id,
    replay: (ids, patienceMs) =>
      each(ids, "message sent again", (effects, accountId, id) =>
        sendAgain(effects, accountId, id, clock.now(), patienceMs),
      ),
    drop: (ids) => each(ids, "message dropped", removed),
  };
}

const where = ({ state, accountId, channelId, ids, from, to }: DeadFilter): (SQL | undefined)[] => [
  state === "held" ? sql`message.state = 'held'` : sql`message.state <> 'held'`,
  accountId === undefined ? undefined : eq(messages.accountId, accountId),
  channelId === undefined ? undefined : eq(messages.channelId, channelId),
  ids && inArray(messages.id, ids),
  from === undefined ? undefined : gte(messages.updatedAt, from),
  to === undefined ? undefined : lte(messages.updatedAt, to),
];

type Found = { row: MessageRow; name: string | null };

const rows = ({ orm }: Transaction, conditions: (SQL | undefined)[], limit: number): Verb<Found[]> =>
  all<Found>(
    orm
      .select({ row: messages, name: channels.name })
      .from(messages)
      .leftJoin(channels, eq(channels.id, messages.channelId))
      .where(and(ENDED, ...conditions))
      .orderBy(asc(messages.id))
      .limit(limit),
  );

function* find(tx: Transaction, id: number): Verb<Found | undefined> {
  return (yield* rows(tx, [eq(messages.id, id)], 1))[0];
}

function toLetter(row: MessageRow, name: string | null): DeadLetter {
  const { direction, state } = endedAs(row);
  const isAck = direction === "ack";
  const { task } = contentOf(row) ?? {};
  return {
    id: row.id,
    accountId: row.accountId,
    channelId: row.channelId,
    channel: name ?? "",
    ...{ direction, state },
    unreadable: isAck ? ackJob(row) === undefined : task === undefined,
    what: isAck ? "ack" : task ? whatOf(task) : "unreadable",
    chat: chatOfLane(row.chat ?? ""),
    attempts: isAck ? row.ackAttempts : row.attempts,
    code: row.errorCode ?? "general",
    error: (isAck ? row.ackError : row.error) ?? "",
    createdAt: row.createdAt,
    endedAt: row.updatedAt,
  };
}

function whatOf(task: Task): string {
  if (task.direction === "ack") return "ack";
  const subject = task.direction === "inbound" ? task.event : task.act;
  if (subject.type !== "message") return subject.type;
  const { content } = subject;
  const files = "files" in content ? `, ${content.files.length} file${content.files.length === 1 ? "" : "s"}` : "";
  return `message, ${content.type}${files}`;
}

function toDetails(row: MessageRow, name: string | null): DeadLetterDetails {
  const letter = toLetter(row, name);
  const { task, work } = contentOf(row) ?? {};
  return {
    ...letter,
    key: keyOf(row),
    unsure: row.unsure,
    crashes: row.crashes,
    deadlineAt: row.deadlineAt,
    steps: work && { done: work.progress.done, all: work.plan.steps.length },
    payload: letter.direction === "ack" ? ackJob(row)?.task : task,
  };
}

const detailOf = (row: MessageRow) => ({ job: row.id, channel: row.channelId, ...endedAs(row) });
