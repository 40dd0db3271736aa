import type { Patch } from "./copy.ts";
import type { Sabotage } from "./sabotage.ts";

const DEAF: Patch[] = [
  { file: "store/postgres/database/notifier.js", find: "work.tell(accountIds);", replace: "undefined;" },
];

/** Of several processes on PostgreSQL. */
export const SABOTAGES_OF_PROCESSES: Sabotage[] = [
  {
    promise: "P25",
    what: "a process records results of what another has taken over",
    tests: ["test/unit/store/outbox.test"],
    patches: [
      {
        file: "store/outbox/rows.ts",
        find: "message.state = 'sending' AND message.fence =",
        replace: "message.state = 'sending' AND 0 <=",
      },
    ],
  },
  {
    promise: "P25",
    what: "calls leave a process that may have lost its accounts",
    tests: ["test/unit/relay/scheduler/holdings"],
    patches: [
      {
        file: "relay/scheduler/holdings.ts",
        find: "isCurrent() && owner !== undefined ? call",
        replace: "true ? call",
      },
    ],
  },
  {
    promise: "P24",
    what: "a process that stands still in a transaction keeps its rows from whoever takes over",
    tests: ["test/unit/store/postgres/tables/leases"],
    patches: [
      {
        file: "store/postgres/database/connection.ts",
        find: "STANDSTILL_MS = 5_000",
        replace: "STANDSTILL_MS = 30_000",
      },
    ],
  },
  {
    promise: "P24",
    what: "PostgreSQL confirms commits before they are written",
    trial: "PostgreSQL lost",
    patches: [
      {
        file: "store/postgres/database/connection.js",
        find: 'application_name: "gangway",',
        replace: 'application_name: "gangway", options: "-c synchronous_commit=off",',
      },
      { file: "store/postgres/database/connection.js", find: 'commits === "off"', replace: 'commits === "never"' },
    ],
  },
  {
    promise: "P24",
    what: "a process neither hears of what others store nor looks for it",
    trial: "three processes",
    patches: [
      ...DEAF,
      { file: "store/postgres/outbox/outbox.js", find: "void sweeps.start();", replace: "" },
      {
        file: "store/postgres/outbox/outbox.js",
        find: "refresh: () => known.sweep()",
        replace: "refresh: async () => false",
      },
    ],
  },
  {
    promise: "P10",
    what: "everybody waits for rows that another program holds",
    tests: ["test/long/postgres/foreign-locks"],
    patches: [
      {
        file: "store/postgres/outbox/storing.ts",
        find: "if (errorCode(causeOf(error)) !== NO_LOCK) throw error;",
        replace: "throw error;",
      },
    ],
  },
  {
    promise: "P10",
    what: "rows that another program holds take up the room of those that can be claimed",
    tests: ["test/long/postgres/foreign-locks"],
    patches: [
      {
        file: "store/postgres/outbox/storing.ts",
        find: "ids: () => [...known.keys()]",
        replace: "ids: () => []",
      },
    ],
  },
  {
    promise: "P10",
    what: "an account that cannot be recovered holds up the renewal of all leases",
    tests: ["test/unit/relay/scheduler/holdings"],
    patches: [
      { file: "relay/scheduler/holdings.ts", find: "if (!isRenewalDue()) await takeOf", replace: "await takeOf" },
    ],
  },
  {
    promise: "P25",
    what: "an account is given away while a door is about to send",
    tests: ["test/system/relay/accept/leaving"],
    patches: [{ file: "relay/worker.ts", find: ", ...promised.ends(accountId)];", replace: "];" }],
  },
  {
    promise: "P26",
    what: "whoever takes an account does not count the last holder's calls",
    trial: "accounts handed over",
    patches: [{ file: "share.js", find: "await countEarlierCalls(", replace: "await (async () => undefined)(" }],
  },
  {
    promise: "P19",
    what: "PostgreSQL that ends for want of space while it commits counts as not having stored it",
    tests: ["test/system/store/postgres/full-disk"],
    patches: [
      {
        file: "store/postgres/database/faults.ts",
        find: "isCommitting && FAILURE.test(",
        replace: "false && FAILURE.test(",
      },
    ],
  },
];
