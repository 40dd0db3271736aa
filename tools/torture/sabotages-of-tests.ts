import type { Sabotage } from "./sabotage.ts";

/** Protections in the source: tests notice when they are gone. */
export const SABOTAGES_OF_TESTS: Sabotage[] = [
  {
    promise: "P8",
    what: "claiming reads the whole table of jobs",
    tests: ["test/store/sqlite/database/plans"],
    patches: [
      {
        file: "store/sqlite/outbox/claims.ts",
        find: "head = 1 AND state = 'ready'\n",
        replace: "head = 1 AND +state = 'ready'\n",
      },
    ],
  },
  {
    promise: "P9",
    what: "every write has a commit of its own",
    tests: ["test/store/sqlite/database/db.test"],
    patches: [
      {
        file: "store/sqlite/database/db.ts",
        find: "const write = pressure.withUndo(group.write);",
        replace:
          "const write = ((one, last = Promise.resolve()) => (work) => (last = last.then(() => one(work), () => one(work))))(pressure.withUndo(group.write)) as typeof group.write;",
      },
    ],
  },
  {
    promise: "P10",
    what: "the oldest goes first, whichever channel is flooded",
    tests: ["test/relay/dispatch/turns"],
    patches: [
      {
        file: "store/sqlite/outbox/claims.ts",
        find: "(left.size === 0 && due.length <= most)) return due;",
        replace: "left.size === 0) return due.slice(0, most);",
      },
    ],
  },
  {
    promise: "P10",
    what: "a flooded channel may use up what others may have waiting",
    tests: ["test/store/sqlite/database/pressure"],
    patches: [
      {
        file: "store/sqlite/database/pressure.ts",
        find: "CHANNEL_TIMES_LEFT = 4",
        replace: "CHANNEL_TIMES_LEFT = 4e9",
      },
    ],
  },
  {
    promise: "P12",
    what: "after a start nothing is known of what was sent just before",
    tests: ["test/relay/dispatch/pace.test"],
    patches: [{ file: "relay/dispatch/pace.ts", find: "windowOf(own.name).freeAt.unshift(", replace: "[].push(" }],
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
    patches: [{ file: "gateway/answers.ts", find: "if (!isObject(answer)) return false;", replace: "" }],
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
    tests: ["test/relay/dispatch/resting", "test/relay/worker"],
    patches: [
      {
        file: "store/sqlite/outbox/claims.ts",
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
        file: "relay/deliver/quarantine.ts",
        find: "const excuse: Excuse = async (wait) => {",
        replace: "const excuse: Excuse = async (wait) => {\n    if (wait) return wait();",
      },
    ],
  },
  {
    promise: "P18",
    what: "what is sent again has another key",
    tests: ["test/store/sqlite/outbox/outbox"],
    patches: [{ file: "store/sqlite/outbox/ended.ts", find: "origin: old.origin ?? old.id", replace: "origin: null" }],
  },
  {
    promise: "P18",
    what: "acts of people are not written down",
    tests: ["test/module/audit"],
    patches: [{ file: "store/sqlite/tables/audit.ts", find: "if (!act) return;", replace: "return;" }],
  },
  {
    promise: "P20",
    what: "a backup is not of one moment",
    tests: ["test/store/care/backup"],
    patches: [{ file: "store/care/backup.ts", find: 'source.exec("BEGIN");', replace: "" }],
  },
  {
    promise: "P22",
    what: "addresses are not judged when they are connected to",
    tests: ["test/threats/addresses", "test/calls/outgoing"],
    patches: [
      {
        file: "calls/guard.ts",
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
    what: "a seal does not name its address",
    tests: ["test/store/secrets"],
    patches: [
      { file: "store/secrets.ts", find: "TAG).setAAD(aad(address));", replace: "TAG);" },
      { file: "store/secrets.ts", find: ".setAAD(aad(address))\n", replace: "\n" },
    ],
  },
  {
    promise: "P28",
    what: "a wrong key does not stop the start",
    tests: ["test/store/sqlite/database/db.test"],
    patches: [
      { file: "store/open.ts", find: 'if (known) sealer.open(known.value, KEY_CHECK.address(""));', replace: "" },
    ],
  },
  {
    promise: "P29",
    what: "a channel is anybody's who knows its id",
    tests: ["test/threats/tenants"],
    patches: [
      {
        file: "store/sqlite/tables/channels.ts",
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
        file: "store/sqlite/outbox/ended.ts",
        find: "const mine = and(eq(jobs.id, id), eq(jobs.accountId, accountId), ENDED);",
        replace: "const mine = and(eq(jobs.id, id), ENDED);",
      },
    ],
  },
  {
    promise: "P1",
    what: "the ledger does not book what ends",
    tests: ["test/store/sqlite/outbox/ledger.test"],
    patches: [
      { file: "store/sqlite/tables/tally.ts", find: "if (job.events > 0) book(", replace: "if (job.events > 9) book(" },
    ],
  },
  {
    promise: "P3",
    what: "a result is recorded under a lease that has passed on",
    tests: ["test/store/sqlite/outbox/outbox"],
    patches: [
      {
        file: "store/sqlite/outbox/outbox.ts",
        find: ", sql`state = 'sending'`, eq(jobs.fence, at(\"fence\"))))",
        replace: ", sql`state = 'sending'`))",
      },
    ],
  },
  {
    promise: "P19",
    what: "no bound for what may wait",
    tests: ["test/store/sqlite/database/pressure", "test/http/pressure"],
    patches: [{ file: "store/sqlite/database/pressure.ts", find: "if (left <= 0)", replace: "if (left < -1e9)" }],
  },
];
