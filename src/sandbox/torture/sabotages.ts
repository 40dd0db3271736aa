import type { Patch } from "./copy.ts";
import type { Sabotage } from "./sabotage.ts";

/** One account, one side of it and one host may have all calls. */
const UNCAPPED: Patch[] = [
  { file: "config.js", find: "callsPerAccount: env.CALLS_PER_ACCOUNT", replace: "callsPerAccount: env.CALLS" },
  { file: "relay/places.js", find: "callsPerAccount - 1", replace: "callsPerAccount" },
  { file: "relay/places.js", find: "HOST_SHARE = 0.75", replace: "HOST_SHARE = 1" },
];

/** Promises that are measured only (`npm run bench`): no single protection keeps them. */
export const FIGURES_ONLY = ["P21"];

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
    what: "the gateway's webhook is answered before its commit",
    trial: "sync before answer",
    patches: [{ file: "relay/outbound.js", find: "await stored;", replace: "" }],
  },
  {
    promise: "P6",
    what: "a messenger's request is answered before its commit",
    trial: "sync before answer",
    patches: [{ file: "relay/inbound.js", find: "await stored;", replace: "stored;" }],
  },
  {
    promise: "P16",
    what: "repeats are not known (no unique key)",
    trial: "parallel repeats",
    patches: [
      {
        file: "store/accepting.js",
        find: ".run(row).changes === 0",
        replace: ".run(row).changes < 0",
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
    patches: [{ file: "gateway/verdict.js", find: "already exists/i)", replace: "never said/i)" }],
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
    patches: [{ file: "store/claims.js", find: "head = 1 AND state = 'ready'\n", replace: "state = 'ready'\n" }],
  },
  {
    promise: "P4",
    what: "what perhaps arrived is sent again although it should be held",
    trial: "kills on hold",
    patches: [{ file: "domain/delivery.js", find: 'if (at.policy === "hold")', replace: "if (false)" }],
  },
  {
    promise: "P7",
    what: "the process ends without finishing what is under way",
    trial: "rolling restarts",
    patches: [{ file: "main.js", find: "await app.drain();", replace: 'process.kill(process.pid, "SIGKILL");' }],
  },
  {
    promise: "P8",
    what: "claiming reads the whole table of jobs",
    tests: ["test/store/plans"],
    patches: [
      { file: "store/claims.ts", find: "head = 1 AND state = 'ready'\n", replace: "head = 1 AND +state = 'ready'\n" },
    ],
  },
  {
    promise: "P9",
    what: "every write has a commit of its own",
    tests: ["test/store/db.test"],
    patches: [
      {
        file: "store/db.ts",
        find: "write: pressure.within(write)",
        replace:
          "write: ((one, last = Promise.resolve()) => (work) => (last = last.then(() => one(work), () => one(work))))(pressure.within(write))",
      },
    ],
  },
  {
    promise: "P10",
    what: "the first account is dealt all places before the next is dealt one",
    trial: "a flooding tenant",
    patches: [
      ...UNCAPPED,
      {
        file: "relay/lanes.js",
        find: "[...queue].filter(",
        replace: "[...known].map((account) => [account, queue.get(account) ?? Infinity]).filter(",
      },
      {
        file: "relay/lanes.js",
        find: "round = round.filter(keep);",
        replace: "for (const account of round) while (keep(account)) dealt.add(account);\nround = [];",
      },
    ],
  },
  {
    promise: "P11",
    what: "an account with a dead messenger may take every call there is",
    trial: "a dead messenger",
    patches: UNCAPPED,
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
        find: "const wait = (at) => Math.max(...limitsOf(at).map(({ name, most }) => waitFor(name, most)))",
        replace: "const wait = () => 0",
      },
    ],
  },
  {
    promise: "P12",
    what: "after a start nothing is known of what was sent just before",
    tests: ["test/relay/pace.test"],
    patches: [{ file: "relay/pace.ts", find: "windowOf(own.name).freeAt.unshift(", replace: "[].push(" }],
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
    patches: [{ file: "domain/delivery.js", find: "MOST_FATAL_CRASHES = 3", replace: "MOST_FATAL_CRASHES = 300" }],
  },
  {
    promise: "P19",
    what: "what the disk refused is answered as taken",
    trial: "full disk",
    patches: [
      {
        file: "http/gateway.js",
        find: 'return c.json(error("The event could not be stored; send it again"), 503, { "retry-after": "5" });',
        replace: "return c.json({ async: true });",
      },
    ],
  },
  {
    promise: "P13",
    what: "a 429 does not pause the token",
    tests: ["test/gateway/limiter", "test/relay/promises"],
    patches: [
      {
        file: "gateway/limiter.ts",
        find: "this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonic() + ms);",
        replace: "",
      },
    ],
  },
  {
    promise: "P14",
    what: "patience toward the gateway is an hour",
    tests: ["test/relay/promises"],
    patches: [
      { file: "domain/delivery.ts", find: "INBOUND_PATIENCE_MS = 72 * ", replace: "INBOUND_PATIENCE_MS = 1 * " },
    ],
  },
  {
    promise: "P14",
    what: "a proxy's page is taken for the gateway's refusal",
    tests: ["test/gateway/client"],
    patches: [
      {
        file: "gateway/verdict.ts",
        find: "if (!errors || status < 400) return strayError(answer);",
        replace: "",
      },
    ],
  },
  {
    promise: "P14",
    what: "a page with the status 200 counts as done",
    tests: ["test/gateway/client"],
    patches: [{ file: "gateway/word.ts", find: "if (!isObject(answer)) return false;", replace: "" }],
  },
  {
    promise: "P14",
    what: "a proxy's page is taken for Telegram's refusal",
    tests: ["test/channels/telegram/api"],
    patches: [
      {
        file: "channels/telegram/api.ts",
        find: "if (!body) throw strayError(method, answer.status, repeatable);",
        replace: 'if (!body) throw refusalError(method, { status: answer.status, description: "" }, repeatable);',
      },
    ],
  },
  {
    promise: "P11",
    what: "one refusal rests everything of an account",
    tests: ["test/relay/resting", "test/relay/worker"],
    patches: [
      {
        file: "store/claims.ts",
        find: "if (room.most <= 0 || !next) return [];",
        replace: "if (room.most <= 0 || !next || next.restUntil > now) return [];",
      },
    ],
  },
  {
    promise: "P12",
    what: "a permit whose call got no answer comes back at once",
    tests: ["test/gateway/stalls"],
    patches: [{ file: "gateway/gate.ts", find: "    this.#spend(flight);\n", replace: "    this.cool(1);\n" }],
  },
  {
    promise: "P12",
    what: "all thirty calls may wait for their answers",
    tests: ["test/gateway/stalls"],
    patches: [{ file: "gateway/gate.ts", find: "UNANSWERED_SHARE = 2 / 3", replace: "UNANSWERED_SHARE = 1" }],
  },
  {
    promise: "P17",
    what: "the innocent run on beside the culprit",
    tests: ["test/relay/promises"],
    patches: [{ file: "domain/delivery.ts", find: "SUSPECT_CRASHES = ", replace: "SUSPECT_CRASHES = 99 ?? " }],
  },
  {
    promise: "P1",
    what: "a message that waits for the gateway is blamed for a crash",
    tests: ["test/relay/promises"],
    patches: [
      {
        file: "relay/quarantine.ts",
        find: "call: (request) => excuse(() => call(request)),",
        replace: "call: (request) => call(request),",
      },
    ],
  },
  {
    promise: "P18",
    what: "what is sent again has another key",
    tests: ["test/store/outbox"],
    patches: [{ file: "store/ended.ts", find: "origin: old.origin ?? old.id", replace: "origin: null" }],
  },
  {
    promise: "P18",
    what: "acts of people are not written down",
    tests: ["test/module/audit"],
    patches: [{ file: "store/audit.ts", find: "if (!act) return;", replace: "return;" }],
  },
  {
    promise: "P20",
    what: "a backup is not of one moment",
    tests: ["test/store/backup"],
    patches: [{ file: "store/backup.ts", find: 'source.exec("BEGIN");', replace: "" }],
  },
  {
    promise: "P22",
    what: "addresses are not judged when they are connected to",
    tests: ["test/threats/addresses", "test/outgoing"],
    patches: [
      {
        file: "outgoing-guard.ts",
        find: "if (addresses.length === 0 || !addresses.every(({ address }) => allowed(address)))",
        replace: "if (addresses.length === 0)",
      },
    ],
  },
  {
    promise: "P23",
    what: "the log masks nothing",
    tests: ["test/log"],
    patches: [{ file: "log.ts", find: 'secretRuns.has(run) ? "***" : run', replace: "run" }],
  },
  {
    promise: "P28",
    what: "a seal does not name its place",
    tests: ["test/store/secrets"],
    patches: [
      { file: "store/secrets.ts", find: "TAG).setAAD(bound(place));", replace: "TAG);" },
      { file: "store/secrets.ts", find: ".setAAD(bound(place))\n", replace: "\n" },
    ],
  },
  {
    promise: "P28",
    what: "a wrong key does not stop the start",
    tests: ["test/store/db.test"],
    patches: [
      { file: "store/store.ts", find: 'if (known) sealer.open(known.value, KEY_CHECK.place(""));', replace: "" },
    ],
  },
  {
    promise: "P29",
    what: "a channel is anybody's who knows its id",
    tests: ["test/threats/tenants"],
    patches: [
      {
        file: "store/channels.ts",
        find: 'const ofAccount = eq(channels.accountId, at("accountId"));',
        replace: "const ofAccount = sql`1`;",
      },
    ],
  },
  {
    promise: "P29",
    what: "a message is sent again for whoever knows its number",
    tests: ["test/threats/tenants"],
    patches: [
      {
        file: "store/ended.ts",
        find: "const mine = and(eq(jobs.id, id), eq(jobs.accountId, accountId), hasEnded);",
        replace: "const mine = and(eq(jobs.id, id), hasEnded);",
      },
    ],
  },
  {
    promise: "P1",
    what: "the ledger does not book what ends",
    tests: ["test/store/ledger.test"],
    patches: [{ file: "store/tally.ts", find: "if (job.events > 0) book(", replace: "if (job.events > 9) book(" }],
  },
  {
    promise: "P3",
    what: "a result is recorded under a lease that has passed on",
    tests: ["test/store/outbox"],
    patches: [
      {
        file: "store/outbox.ts",
        find: ", sql`state = 'sending'`, eq(jobs.fence, at(\"fence\"))))",
        replace: ", sql`state = 'sending'`))",
      },
    ],
  },
  {
    promise: "P19",
    what: "no bound for what may wait",
    tests: ["test/store/pressure", "test/http/pressure"],
    patches: [{ file: "store/pressure.ts", find: "if (own >= bounds.perAccount)", replace: "if (own < 0)" }],
  },
];
