import type { Sabotage } from "./sabotage.ts";

/** Each protection, taken away in turn. */
export const SABOTAGES: Sabotage[] = [
  {
    promise: "P5",
    what: "commits are not synced (NORMAL)",
    trial: "power cuts",
    patches: [
      { file: "store/db.js", find: '"synchronous = FULL"', replace: '"synchronous = NORMAL"' },
      { file: "store/db.js", find: 'read("synchronous") !== 2', replace: 'read("synchronous") !== 1' },
    ],
  },
  {
    promise: "P6",
    what: "the webhook is answered before its commit",
    trial: "sync before answer",
    patches: [
      {
        file: "relay/outbound.js",
        find: "const isNew = await parts.store.outbox.acceptOutbound(",
        replace: "const isNew = true;\nvoid parts.store.outbox.acceptOutbound(",
      },
    ],
  },
  {
    promise: "P16",
    what: "repeats are not known (no unique key)",
    trial: "parallel repeats",
    patches: [
      {
        file: "store/accepting.js",
        find: "return db.orm.insert(inbox).values(row).onConflictDoNothing().run().changes === 1;",
        replace: "db.orm.insert(inbox).values(row).onConflictDoNothing().run();\nreturn true;",
      },
    ],
  },
  {
    promise: "P1",
    what: "recorded as done before it is sent",
    trial: "crash points",
    patches: [
      {
        file: "relay/worker.js",
        find: "const began = parts.clock.now();",
        replace: "await parts.store.outbox.done(job, {});\nconst began = parts.clock.now();",
      },
    ],
  },
  {
    promise: "P1",
    what: "nobody takes over what a crash left in the middle",
    trial: "crash points",
    patches: [{ file: "relay/worker.js", find: "await parts.store.outbox.takeOver(lease)", replace: "[]" }],
  },
  {
    promise: "P2",
    what: "the gateway's word for a repeat is taken for a refusal",
    trial: "crash points",
    patches: [{ file: "gateway/verdict.js", find: "already exists/i.test", replace: "never said/i.test" }],
  },
  {
    promise: "P2",
    what: "a repeated job has another key",
    trial: "crash points",
    patches: [
      { file: "store/outbox.js", find: "key: String(row.origin ?? row.id)", replace: "key: String(Math.random())" },
    ],
  },
  {
    promise: "P3",
    what: "more than the head of a lane is given out",
    trial: "kills",
    patches: [{ file: "store/outbox.js", find: "AND head = 1 AND state = 'ready'", replace: "AND state = 'ready'" }],
  },
  {
    promise: "P4",
    what: "what perhaps arrived is sent again although it should be held",
    trial: "kills on hold",
    patches: [{ file: "domain/delivery.js", find: 'at.policy === "hold"', replace: "false" }],
  },
  {
    promise: "P7",
    what: "the process ends without finishing what is under way",
    trial: "rolling restarts",
    patches: [{ file: "main.js", find: "await app.drain();", replace: 'process.kill(process.pid, "SIGKILL");' }],
  },
  {
    promise: "P10",
    what: "an account may take every call there is, and every turn",
    trial: "a flooding tenant",
    patches: [
      { file: "relay/lanes.js", find: "queue.delete(account);", replace: "queue.set(account, at);" },
      { file: "config.js", find: "callsPerAccount: env.CALLS_PER_ACCOUNT", replace: "callsPerAccount: env.CALLS" },
    ],
  },
  {
    promise: "P11",
    what: "an account with a dead messenger may take every call there is",
    trial: "a dead messenger",
    patches: [
      { file: "config.js", find: "callsPerAccount: env.CALLS_PER_ACCOUNT", replace: "callsPerAccount: env.CALLS" },
    ],
  },
  {
    promise: "P12",
    what: "no permits toward the gateway",
    trial: "a flooding tenant",
    patches: [{ file: "gateway/limiter.js", find: "const PER_SECOND = 30;", replace: "const PER_SECOND = 3000;" }],
  },
  {
    promise: "P12",
    what: "no pace toward the messenger",
    trial: "kills",
    patches: [
      {
        file: "relay/pace.js",
        find: "wait: (at) => Math.max(...limitsOf(at).map(({ name, most }) => waitFor(name, most)))",
        replace: "wait: () => 0",
      },
    ],
  },
  {
    promise: "P15",
    what: "what failed is not tried again",
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
    what: "a message may take the process down for ever",
    trial: "poison",
    patches: [{ file: "domain/delivery.js", find: "MOST_CRASHES = 5", replace: "MOST_CRASHES = 500" }],
  },
  {
    promise: "P19",
    what: "an end that the disk refused is not recorded later",
    trial: "full disk",
    patches: [
      {
        file: "relay/worker.js",
        find: "await pause(parts.clock, STORE_REST_MS, state.abort.signal);",
        replace: "return;",
      },
    ],
  },
];
