import type { Sabotage } from "./sabotage.ts";

/** Protections against what another side answers, or does not; each is missed by a trial from outside. */
export const SABOTAGES_OF_FAULTS: Sabotage[] = [
  {
    promise: "P14",
    what: "a page of somebody before the gateway ends a message or an ack",
    trial: "grid",
    cells: [
      "customer's text 405 html before one",
      "ack 413 json before one",
      "customer's file up 422 empty before one",
    ],
    patches: [
      {
        file: "gateway/verdict.js",
        find: "if (!errors || status < 400)\n        return strayError(answer);",
        replace: "",
      },
    ],
  },
  {
    promise: "P14",
    what: "a file of the messenger is taken as it comes, whatever its size",
    trial: "grid",
    cells: ["customer's file down 200 garbage before one", "customer's file down 200 half after one"],
    patches: [
      { file: "channels/telegram/api.js", find: "body: expectSize(bytes.stream, size)", replace: "body: bytes.stream" },
    ],
  },
  {
    promise: "P17",
    what: "a message is accused of the crashes that it only waited in",
    trial: "waiting is no guilt",
    patches: [
      {
        file: "relay/deliver/quarantine.js",
        find: "const result = await excuse(() => call(request));",
        replace: "const result = await call(request);",
      },
      {
        file: "relay/deliver/quarantine.js",
        find: "run: (...args) => excuse(() => permits.run(...args))",
        replace: "run: (...args) => permits.run(...args)",
      },
    ],
  },
  {
    promise: "P12",
    what: "a call that was given up gives its permit back",
    trial: "stalls",
    patches: [
      {
        file: "gateway/gate.js",
        find: "        this.#spend(flight);\n        this.#changed();",
        replace: "        this.cool(1);\n        this.#changed();",
      },
    ],
  },
  {
    promise: "P14",
    what: "one 401 is believed, and rests an account for a minute",
    trial: "one 401 or 403",
    patches: [
      {
        file: "gateway/sending.js",
        find: 'if (trial === "good")',
        replace: 'if (trial === "good") return answer;\nif (trial === "never")',
      },
      { file: "relay/dispatch/resting.js", find: "FIRST_GAP_MS = 1_000", replace: "FIRST_GAP_MS = 60_000" },
    ],
  },
  {
    promise: "P10",
    what: "within an account the oldest goes first, whoever has it",
    trial: "one loud person",
    patches: [
      {
        file: "store/sqlite/outbox/claims.js",
        find: "if (due.length === 0 || (left.size === 0 && due.length <= most))\n        return due;",
        replace: "return due.slice(0, most);",
      },
    ],
  },
  {
    promise: "P10",
    what: "a customer's long chat is refused, and holds up the bot's others",
    trial: "one loud person",
    patches: [{ file: "store/sqlite/database/pressure.js", find: 'direction === "inbound" || live', replace: "live" }],
  },
  {
    promise: "P19",
    what: "nobody looks whether the database is still there",
    trial: "database gone",
    patches: [
      {
        file: "store/disk/database-files.js",
        find: "const change = before && changeBetween(file, before, now);",
        replace: "const change = undefined;",
      },
    ],
  },
];
