import type { Patch } from "./copy.ts";
import type { Sabotage } from "./sabotage.ts";

/** One account, one of its directions or one host may use every slot. */
const UNCAPPED: Patch[] = [
  { file: "config.js", find: "callsPerAccount: env.CALLS_PER_ACCOUNT", replace: "callsPerAccount: env.CALLS" },
  { file: "relay/scheduler/slots.js", find: "Math.max(1, most - 1)", replace: "Math.max(1, most)" },
  { file: "relay/scheduler/slots.js", find: "Math.max(1, most - 2)", replace: "Math.max(1, most)" },
  { file: "relay/scheduler/slots.js", find: "HOST_SHARE = 0.75", replace: "HOST_SHARE = 1" },
];

export const SABOTAGES_OF_TRIALS: Sabotage[] = [
  {
    promise: "P1",
    what: "a removed messenger's waiting messages are not told to their agents",
    trial: "farewells",
    patches: [{ file: "relay/deliver/reports.js", find: "!works(account)", replace: "works(account)" }],
  },
  {
    promise: "P2",
    what: "a step of the machine's clock counts at once",
    trial: "clock jumps",
    patches: [
      { file: "packages/messenger/dist/clock.js", find: "return at + offset + ahead;", replace: "return wall();" },
    ],
  },
  {
    promise: "P19",
    what: "sockets may take every open file",
    trial: "out of descriptors",
    patches: [{ file: "server.js", find: "all: Number.isNaN(all) ? Infinity : all", replace: "all: Infinity" }],
  },
  {
    promise: "P5",
    what: "commits are not synced (NORMAL)",
    trial: "power cuts",
    patches: [
      { file: "store/sqlite/database/db.js", find: '"synchronous = FULL"', replace: '"synchronous = NORMAL"' },
      { file: "store/sqlite/database/db.js", find: 'read("synchronous") !== 2', replace: 'read("synchronous") !== 1' },
    ],
  },
  {
    promise: "P6",
    what: "the gateway's webhook is answered before its commit",
    trial: "sync before answer",
    patches: [
      {
        file: "relay/accept/outbound.js",
        find: "= await withSlots(",
        replace: "= { result: false, begun: 0 }; void withSlots(",
      },
    ],
  },
  {
    promise: "P6",
    what: "a messenger's request is answered before its commit",
    trial: "sync before answer",
    patches: [
      {
        file: "relay/accept/inbound.js",
        find: "= await withSlots(",
        replace: "= { result: 0, begun: 0 }; void withSlots(",
      },
    ],
  },
  {
    promise: "P16",
    what: "duplicates are not detected (no unique key)",
    trial: "parallel repeats",
    patches: [
      {
        file: "store/outbox/rows.js",
        find: "dedupeKey: key,",
        replace: "dedupeKey: String(Math.random()),",
      },
      {
        file: "store/outbox/rows.js",
        find: "null : event.key",
        replace: "null : String(Math.random())",
      },
    ],
  },
  {
    promise: "P1",
    what: "a job is recorded as done before it is sent",
    trial: "crash points",
    patches: [
      {
        file: "relay/deliver/attempt.js",
        find: "const began = deps.clock.now();",
        replace: "await deps.store.outbox.done(job, {});\nconst began = deps.clock.now();",
      },
    ],
  },
  {
    promise: "P1",
    what: "jobs interrupted by a crash are not taken over",
    trial: "crash points",
    patches: [{ file: "relay/deliver/attempt.js", find: "await deps.store.outbox.takeOver(lease)", replace: "[]" }],
  },
  {
    promise: "P2",
    what: "the gateway's answer to a duplicate counts as a refusal",
    trial: "crash points",
    patches: [{ file: "gateway/sending.js", find: "already exists/i)", replace: "never said/i)" }],
  },
  {
    promise: "P2",
    what: "a retried job gets a new key",
    trial: "crash points",
    patches: [{ file: "store/outbox/rows.js", find: "key: keyOf(row)", replace: "key: String(Math.random())" }],
  },
  {
    promise: "P3",
    what: "jobs behind the head of a lane are claimed",
    trial: "kills",
    patches: [
      {
        file: "store/outbox/rows.js",
        find: "head = 1 AND message.state = 'ready' AND",
        replace: "message.state = 'ready' AND",
      },
      {
        file: "store/sqlite/database/db.js",
        find: "head = 1 AND state = 'ready'\n",
        replace: "state = 'ready'\n",
      },
    ],
  },
  {
    promise: "P4",
    what: "an unsure message is resent instead of held",
    trial: "kills on hold",
    patches: [{ file: "domain/delivery.js", find: 'if (at.policy === "hold")', replace: "if (false)" }],
  },
  {
    promise: "P2",
    what: "a status leaves no note of the message that it names",
    trial: "whatsapp",
    patches: [
      {
        file: "messengers/whatsapp/dist/src/reading/statuses.js",
        find: "reading.set(note, status.id);",
        replace: "void note;",
      },
    ],
  },
  {
    promise: "P7",
    what: "the process exits with calls under way",
    trial: "rolling restarts",
    patches: [
      {
        file: "server.js",
        find: "const drained = program.drain()",
        replace: 'process.kill(process.pid, "SIGKILL"); const drained = program.drain()',
      },
    ],
  },
  {
    promise: "P10",
    what: "the first account gets all slots before the next gets one",
    trial: "a flooding tenant",
    patches: [
      ...UNCAPPED,
      {
        file: "relay/scheduler/slots.js",
        find: "let round = now;",
        replace:
          "let round = [...known].filter((account) => now.has(account)).map((account) => [account, now.get(account)]);",
      },
      {
        file: "relay/scheduler/slots.js",
        find: "const answer = turn(account, due, reserve);",
        replace:
          'let answer;\nfor (const { target } of [...due]) while (reserve(account, target) === "reserved") answer = "reserved";\ndue.length = 0;',
      },
    ],
  },
  {
    promise: "P11",
    what: "an account with a dead messenger takes every slot",
    trial: "a dead messenger",
    patches: UNCAPPED,
  },
  {
    promise: "P12",
    what: "calls to the gateway are not limited",
    trial: "a flooding tenant",
    patches: [{ file: "gateway/limiter.js", find: "const PER_SECOND = 30;", replace: "const PER_SECOND = 3000;" }],
  },
  {
    promise: "P12",
    what: "calls to the messenger are not paced",
    trial: "kills",
    patches: [
      {
        file: "relay/limits/limits.js",
        find: "const longest = (limits) => Math.max(...limits.map(waitFor))",
        replace: "const longest = () => 0",
      },
    ],
  },
  {
    promise: "P15",
    what: "a failed job is not retried",
    trial: "broken network",
    patches: [
      {
        file: "domain/delivery.js",
        find: "const runAt = at.now + (afterMs",
        replace: 'return { state: "dead", code: "general" };\nconst runAt = at.now + (afterMs',
      },
    ],
  },
  {
    promise: "P17",
    what: "a message may crash the process for ever",
    trial: "poison",
    patches: [{ file: "domain/delivery.js", find: "MAX_FATAL_CRASHES = 3", replace: "MAX_FATAL_CRASHES = 300" }],
  },
  {
    promise: "P19",
    what: "a webhook the disk refused is answered as accepted",
    trial: "full disk",
    patches: [
      {
        file: "http/doors/doors.js",
        find: 'return c.json(error("The event could not be stored; send it again"), 503, { "retry-after": "5" });',
        replace: "return c.json({ async: true });",
      },
    ],
  },
];
