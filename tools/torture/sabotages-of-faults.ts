import type { Sabotage } from "./sabotage.ts";

/** In place of the round robin over channels and chats. */
export const OLDEST_FIRST =
  "return due.flatMap(({ known, fresh }) => [...known, ...fresh]).sort((a, b) => a.runAt - b.runAt || a.id - b.id).slice(0, most);";

/** Protections against faults around the server; a trial notices each from outside. */
export const SABOTAGES_OF_FAULTS: Sabotage[] = [
  {
    promise: "P14",
    what: "a proxy's page ends a message or an ack",
    trial: "grid",
    cells: [
      "customer's text 405 html before one",
      "ack 413 json before one",
      "customer's file up 422 empty before one",
    ],
    patches: [
      {
        file: "gateway/sending.js",
        find: "if (!errors || status < 400)\n        return foreignError(answer);",
        replace: "",
      },
      {
        file: "gateway/sending.js",
        find: "if (!isRefused(operation, answer))\n        return DeliveryError.foreign(text, status);",
        replace: "",
      },
    ],
  },
  {
    promise: "P14",
    what: "a messenger's file is accepted at any size",
    trial: "grid",
    cells: ["customer's file down 200 garbage before one", "customer's file down 200 half after one"],
    patches: [
      { file: "packages/messenger/dist/files.js", find: "body: expectSize(stream, size)", replace: "body: stream" },
    ],
  },
  {
    promise: "P17",
    what: "a message is blamed for crashes it only waited through",
    trial: "innocent waiting",
    patches: [
      {
        file: "relay/deliver/quarantine.js",
        find: "const result = await waitOutside(() => call(request));",
        replace: "const result = await call(request);",
      },
      {
        file: "relay/deliver/quarantine.js",
        find: "run: (...args) => waitOutside(() => permits.run(...args))",
        replace: "run: (...args) => permits.run(...args)",
      },
    ],
  },
  {
    promise: "P12",
    what: "a call that got no answer returns its permit",
    trial: "stalls",
    patches: [
      {
        file: "gateway/limiter.js",
        find: "        this.#spend(flight);\n        this.#changed();",
        replace: "        this.cool(1);\n        this.#changed();",
      },
    ],
  },
  {
    promise: "P14",
    what: "a single 401 pauses an account for a minute",
    trial: "one 401 or 403",
    patches: [
      {
        file: "gateway/sending.js",
        find: 'if (check === "good")',
        replace: 'if (check === "good") return answer;\nif (check === "never")',
      },
      { file: "relay/limits/limits.js", find: "FIRST_GAP_MS = 1_000", replace: "FIRST_GAP_MS = 60_000" },
    ],
  },
  {
    promise: "P10",
    what: "an account's oldest job goes first, whatever its chat",
    trial: "one noisy user",
    patches: [
      {
        file: "store/outbox/dealing.js",
        find: "return fits ? all.filter(take) : dealer.deal(queue, due, most, take);",
        replace: OLDEST_FIRST,
      },
    ],
  },
  {
    promise: "P10",
    what: "a long chat is refused and blocks the bot's other chats",
    trial: "one noisy user",
    patches: [{ file: "store/outbox/accepting.js", find: 'direction === "outbound" && live', replace: "live" }],
  },
  {
    promise: "P19",
    what: "the database file is not watched",
    trial: "database gone",
    patches: [
      {
        file: "store/disk/folder.js",
        find: "const change = before && changeBetween(",
        replace: "const change = undefined && changeBetween(",
      },
    ],
  },
];
