import type { Sabotage } from "./sabotage.ts";
import { OLDEST_FIRST } from "./sabotages-of-faults.ts";

/** In the store; caught by its tests. */
export const SABOTAGES_OF_STORE: Sabotage[] = [
  {
    promise: "P8",
    what: "claiming scans the whole jobs table",
    tests: ["test/system/store/sqlite/database/plans"],
    patches: [
      {
        file: "store/sqlite/database/db.ts",
        find: "head = 1 AND state = 'ready'\n",
        replace: "head = 1 AND +state = 'ready'\n",
      },
    ],
  },
  {
    promise: "P9",
    what: "each write commits on its own",
    tests: ["test/unit/store/sqlite/database/db.test"],
    patches: [
      {
        file: "store/sqlite/database/db.ts",
        find: "return { ...shared, ...group, close };",
        replace:
          "const write = ((one, last = Promise.resolve()) => (work) => (last = last.then(() => one(work), () => one(work))))(group.write) as typeof group.write;\n  return { ...shared, ...group, write, close };",
      },
    ],
  },
  {
    promise: "P10",
    what: "the oldest job goes first, even from a flooded channel",
    tests: ["test/unit/relay/scheduler/slots.turns"],
    patches: [
      {
        file: "store/outbox/dealing.ts",
        find: "return fits ? all.filter(take) : dealer.deal(queue, due, most, take);",
        replace: OLDEST_FIRST,
      },
    ],
  },
  {
    promise: "P10",
    what: "a flooded channel uses up the others' quota",
    tests: ["test/unit/store/outbox.overload"],
    patches: [
      {
        file: "store/outbox/accepting.ts",
        find: "CHANNEL_TIMES_LEFT = 4",
        replace: "CHANNEL_TIMES_LEFT = 4e9",
      },
    ],
  },
  {
    promise: "P11",
    what: "one refusal pauses the whole account",
    tests: ["test/unit/relay/limits/limits.resting", "test/unit/relay/worker"],
    patches: [
      {
        file: "store/sqlite/outbox/accepting.ts",
        find: "if (room.most <= 0 || !facts?.works) return { acks: [], messages: [] };",
        replace: "if (room.most <= 0 || !facts?.works || facts.restUntil > now) return { acks: [], messages: [] };",
      },
    ],
  },
  {
    promise: "P18",
    what: "a resent message gets a new key",
    tests: ["test/unit/store/outbox"],
    patches: [
      { file: "store/outbox/rows.ts", find: "key: keyOf(row),", replace: "key: String(row.position)," },
      {
        file: "store/outbox/rows.ts",
        find: '["deadlineAt", "fence"',
        replace: '["position", "deadlineAt", "fence"',
      },
    ],
  },
  {
    promise: "P18",
    what: "people's actions are not audited",
    tests: ["test/system/module/audit"],
    patches: [{ file: "store/tables/accounts/audit.ts", find: "if (!act || ", replace: "if (act || " }],
  },
  {
    promise: "P29",
    what: "any account reaches a channel by its id",
    tests: ["test/system/threats/tenants"],
    patches: [
      {
        file: "store/tables/channels/channels.ts",
        find: "return channel?.accountId === accountId ? channel : undefined;",
        replace: "return channel;",
      },
    ],
  },
  {
    promise: "P29",
    what: "any account resends a message by its id",
    tests: ["test/system/threats/tenants"],
    patches: [
      {
        file: "store/outbox/decisions.ts",
        find: "and(eq(messages.id, id), eq(messages.accountId, accountId), ENDED)",
        replace: "and(eq(messages.id, id), ENDED)",
      },
    ],
  },
  {
    promise: "P1",
    what: "the ledger does not book finished events",
    tests: ["test/unit/store/outbox.ledger.test"],
    patches: [
      { file: "store/outbox/results.ts", find: "const events = row.events", replace: "const events = 0 * row.events" },
    ],
  },
  {
    promise: "P14",
    what: "the answer to an older ack settles a newer one",
    tests: ["test/unit/store/outbox.acks"],
    patches: [
      {
        file: "store/outbox/rows.ts",
        find: "AND message.ack_version =",
        replace: "AND 0 <=",
      },
    ],
  },
  {
    promise: "P14",
    what: "a failure after the messenger's acceptance owes no new ack",
    tests: ["test/system/store/sqlite/outbox/late"],
    patches: [
      {
        file: "store/outbox/results.ts",
        find: "const debt = ack && newDebt(tx, row, ack, now);",
        replace: "const debt = ack && row.events > 9 ? newDebt(tx, row, ack, now) : undefined;",
      },
    ],
  },
  {
    promise: "P1",
    what: "a failure after the messenger's acceptance leaves the ledger as it was",
    tests: ["test/system/store/sqlite/outbox/late"],
    patches: [
      { file: "store/outbox/results.ts", find: '  yield* bookEnds(tx, [row], "delivered", -1);\n', replace: "" },
      { file: "store/outbox/results.ts", find: '  yield* bookEnds(tx, [row], "refused");\n', replace: "" },
    ],
  },
  {
    promise: "P1",
    what: "a failure that overtakes the answer to our call is lost",
    tests: ["test/system/store/sqlite/outbox/late"],
    patches: [
      {
        file: "store/outbox/results.ts",
        find: "if (!(yield* first(UNDER_WAY, { channelId, chat })))",
        replace: "if (chat !== messengerMessageId)",
      },
    ],
  },
  {
    promise: "P18",
    what: "a message that its messenger gave up leaves under the old key",
    tests: ["test/system/store/sqlite/outbox/late"],
    patches: [
      {
        file: "store/outbox/results.ts",
        find: "generation: row.generation + 1",
        replace: "generation: row.generation",
      },
    ],
  },
  {
    promise: "P3",
    what: "a result is recorded under a stale lease",
    tests: ["test/unit/store/outbox"],
    patches: [
      {
        file: "store/outbox/rows.ts",
        find: "message.state = 'sending' AND message.fence =",
        replace: "message.state = 'sending' AND 0 <=",
      },
    ],
  },
  {
    promise: "P3",
    what: "work is claimed under a stale lease",
    tests: ["test/unit/store/sqlite/database/db.due"],
    patches: [
      {
        file: "store/sqlite/outbox/accepting.ts",
        find: "{CLAIMABLE.message} AND $" + "{HOLDS_LEASE}",
        replace: "{CLAIMABLE.message}",
      },
    ],
  },
  {
    promise: "P3",
    what: "a message leaves with its commit under a stale lease",
    tests: ["test/unit/store/outbox.leaving"],
    patches: [
      {
        file: "store/sqlite/outbox/accepting.ts",
        find: "@fence IS NOT NULL AND $" + '{HOLDS_LEASE.replace("@account", "@accountId")} AS leaves',
        replace: "@fence IS NOT NULL AS leaves",
      },
    ],
  },
  {
    promise: "P3",
    what: "a message leaves with its commit before an older one of its chat",
    tests: ["test/unit/store/outbox.leaving"],
    patches: [
      {
        file: "store/outbox/accepting.ts",
        find: "if (isFirst && look.leaves",
        replace: "if (look.leaves",
      },
    ],
  },
  {
    promise: "P15",
    what: "another connection's work stays unseen",
    tests: ["test/unit/store/sqlite/database/db.due"],
    patches: [{ file: "store/sqlite/database/db.ts", find: "others.onWritten(() => accounts.clear());", replace: "" }],
  },
  {
    promise: "P15",
    what: "an ack that becomes due leaves no hint",
    tests: ["test/unit/store/outbox.acks"],
    patches: [
      {
        file: "store/sqlite/database/db.ts",
        find: "SELECT due_at(NEW.account_id, '', 'ack', NEW.ack_at); END",
        replace: "SELECT 1; END",
      },
    ],
  },
  {
    promise: "P19",
    what: "the backlog is unbounded",
    tests: ["test/unit/store/outbox/accepting.backpressure", "test/system/http/pressure"],
    patches: [{ file: "store/outbox/accepting.ts", find: "if (left <= 0)", replace: "if (left < -1e9)" }],
  },
];
