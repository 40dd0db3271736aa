import type { Sabotage } from "./sabotage.ts";

export const SABOTAGES_OF_TESTS: Sabotage[] = [
  {
    promise: "P1",
    what: "what no webhook brought is not looked for",
    tests: ["messengers/meta/test/system/recovering"],
    patches: [
      { file: "module/health/comparing.ts", find: "await recover(parts, channel, listed, pass);", replace: "" },
    ],
  },
  {
    promise: "P2",
    what: "a message of ours in a messenger's list counts as one of staff",
    tests: ["test/unit/module/health/comparing"],
    patches: [
      {
        file: "module/health/comparing.ts",
        find: 'if (await messages.has(id, messengerMessageId)) return "ours";',
        replace: "",
      },
    ],
  },
  {
    promise: "P1",
    what: "a read mark passes the answer to the call",
    tests: ["messengers/whatsapp/test/system/late"],
    patches: [
      {
        file: "relay/deliver/to-gateway.ts",
        find: "(await store.messages.mayBeUnderWay(channelId, chat, messengerMessageId)) ? POLL_MS : 0",
        replace: "0",
      },
    ],
  },
  {
    promise: "P12",
    what: "a restart forgets recent sends",
    tests: ["test/unit/relay/limits/limits.pace.test"],
    patches: [{ file: "relay/limits/limits.ts", find: "[...others, take.at]", replace: "[]" }],
  },
  {
    promise: "P12",
    what: "a process that takes an account over forgets what its last holder has sent",
    tests: ["test/unit/module/messages/earlier-calls"],
    patches: [{ file: "module/messages/earlier-calls.ts", find: "paces.taken(account, made);", replace: "account;" }],
  },
  {
    promise: "P13",
    what: "a 429 does not pause the token",
    tests: ["test/unit/gateway/limiter", "test/system/relay/promises"],
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
    what: "the server gives up on the gateway after an hour",
    tests: ["test/system/relay/promises"],
    patches: [
      {
        file: "domain/delivery.ts",
        find: "INBOUND_PATIENCE_MS = 72 * ",
        replace: "INBOUND_PATIENCE_MS = 1 * ",
      },
    ],
  },
  {
    promise: "P14",
    what: "a proxy's page counts as the gateway's refusal",
    tests: ["test/unit/gateway/client"],
    patches: [
      {
        file: "gateway/sending.ts",
        find: "if (!errors || status < 400) return foreignError(answer);",
        replace: "",
      },
    ],
  },
  {
    promise: "P14",
    what: "a page with status 200 counts as success",
    tests: ["test/unit/gateway/client"],
    patches: [
      {
        file: "gateway/sending.ts",
        find: 'if (typeof body !== "object" || body === null || Array.isArray(body) || errorsOf(answer)) return false;',
        replace: "",
      },
    ],
  },
  {
    promise: "P14",
    what: "a proxy's page counts as Telegram's refusal",
    tests: ["messengers/telegram/test/unit/api"],
    patches: [
      {
        file: "messengers/telegram/src/api.ts",
        find: "if (!body) throw foreignError(method, answer.status, repeatable);",
        replace: 'if (!body) throw refusalError(method, { status: answer.status, description: "" }, repeatable);',
      },
    ],
  },
  {
    promise: "P2",
    what: "a doubtful message is sent again before its messenger can tell",
    tests: ["test/unit/relay/deliver/reports.doubt"],
    patches: [
      {
        file: "relay/deliver/reports.ts",
        find: "if (answer.askAgainMs !== undefined && left > 0)",
        replace: "if (answer.askAgainMs === -1)",
      },
    ],
  },
  {
    promise: "P14",
    what: "a read mark up to a time overtakes the acks of what was read",
    tests: ["test/unit/relay/deliver/attempt.jobs"],
    patches: [{ file: "relay/deliver/to-gateway.ts", find: 'type === "read-until"\n', replace: 'type === "note"\n' }],
  },
  {
    promise: "P12",
    what: "an unanswered call's permit comes back at once",
    tests: ["test/system/gateway/stalls"],
    patches: [{ file: "gateway/limiter.ts", find: "    this.#spend(flight);\n", replace: "    this.cool(1);\n" }],
  },
  {
    promise: "P12",
    what: "a process that takes an account back counts its own calls twice",
    tests: ["test/system/module/hand-overs"],
    patches: [{ file: "gateway/limiter.ts", find: "    this.#spent = [];\n", replace: "" }],
  },
  {
    promise: "P12",
    what: "all thirty permits may await answers",
    tests: ["test/system/gateway/stalls"],
    patches: [{ file: "gateway/limiter.ts", find: "UNANSWERED_SHARE = 2 / 3", replace: "UNANSWERED_SHARE = 1" }],
  },
  {
    promise: "P17",
    what: "crash suspects run side by side",
    tests: ["test/system/relay/promises"],
    patches: [{ file: "domain/delivery.ts", find: "SUSPECT_CRASHES = ", replace: "SUSPECT_CRASHES = 99 ?? " }],
  },
  {
    promise: "P1",
    what: "a message awaiting the gateway is blamed for a crash",
    tests: ["test/system/relay/promises"],
    patches: [
      {
        file: "relay/deliver/quarantine.ts",
        find: "const waitOutside: WaitOutside = async (wait) => {",
        replace: "const waitOutside: WaitOutside = async (wait) => {\n    if (wait) return wait();",
      },
    ],
  },
  {
    promise: "P20",
    what: "a backup is not a consistent snapshot",
    tests: ["test/unit/store/care/backup"],
    patches: [{ file: "store/care/backup.ts", find: 'source.exec("BEGIN");', replace: "" }],
  },
  {
    promise: "P22",
    what: "addresses are not checked at connect time",
    tests: ["test/system/threats/addresses", "test/unit/calls/outgoing"],
    patches: [
      {
        file: "calls/outgoing.ts",
        find: "if (addresses.length === 0 || !addresses.every(({ address }) => allowed(address)))",
        replace: "if (addresses.length === 0)",
      },
    ],
  },
  {
    promise: "P23",
    what: "the log masks no secrets",
    tests: ["test/unit/log"],
    patches: [{ file: "log.ts", find: '(isSecret(run) ? "***" : run)', replace: "run" }],
  },
  {
    promise: "P28",
    what: "a sealed value is not bound to its address",
    tests: ["test/unit/store/secrets"],
    patches: [
      { file: "store/secrets.ts", find: "TAG).setAAD(aad(address));", replace: "TAG);" },
      { file: "store/secrets.ts", find: ".setAAD(aad(address))\n", replace: "\n" },
    ],
  },
  {
    promise: "P28",
    what: "the server starts with the wrong key",
    tests: ["test/unit/store/sqlite/database/db.test"],
    patches: [
      {
        file: "store/tables/accounts/keys.ts",
        find: 'if (known !== undefined) createSealer(ring).open(known, addressOf("key_check"));',
        replace: "",
      },
    ],
  },
];
