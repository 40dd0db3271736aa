import type { Sabotage } from "./sabotage.ts";

const [STORE, RELAY, PAGES] = [
  ["test/unit/store/erasing/", "test/system/store/erasing/"],
  ["test/system/relay/erased"],
  ["test/unit/http/account/customers"],
];
/** One protection of erasures, at one place. */
const without = (what: string, tests: string[], file: string, find: string, replace = ""): Sabotage => ({
  promise: "T33",
  what,
  tests,
  patches: [{ file, find, replace }],
});

export const SABOTAGES_OF_ERASURES: Sabotage[] = [
  without(
    "a customer is erased in one transaction",
    STORE,
    "store/erasing/customer.ts",
    "sql.raw(String(ROWS))",
    "sql.raw(String(ROWS * 100))",
  ),
  without(
    "an erasure deletes any number of bytes at once",
    STORE,
    "store/erasing/engine.ts",
    "if (bytes >= BYTES) break;",
  ),
  without(
    "an interrupted erasure is forgotten",
    STORE,
    "store/erasing/erasure.ts",
    "const pending = await engine.read(() => pendingErasures(sealer));",
    "const pending = (await engine.read(() => pendingErasures(sealer))).slice(0, 0);",
  ),
  without(
    "an erasure under way is stored in the clear",
    STORE,
    "store/tables/erasing/erasures.ts",
    "sealer.seal(JSON.stringify(erasure), addressOf(erasure.id))",
    "JSON.stringify(erasure)",
  ),
  without(
    "what is being erased is still sent",
    STORE,
    "store/erasing/erasure.ts",
    "    yield* revoke(erasingEngine, tx, erasure);\n    yield* erasingEngine.tellOthers();\n    yield* oweTraces();",
    "    yield* oweTraces();",
  ),
  without(
    "results are recorded of what is being erased",
    STORE,
    "store/tables/erasing/erasures.ts",
    "ack: null };",
    "};",
  ),
  without(
    "a person sends again what is being erased",
    STORE,
    "store/outbox/decisions.ts",
    "&& !(yield* isBeingErased(sealer, id))",
  ),
  without(
    "a repeat comes back while its message is being erased",
    STORE,
    "store/tables/erasing/erasures.ts",
    " || underWay.has(nameOf(of))",
  ),
  without(
    "work under way writes to an erased chat",
    STORE,
    "store/sqlite/tables/engine.ts",
    "db.tombstones.buriedAt(channelId, names) === undefined;",
    "names.length > 0;",
  ),
  without(
    "a call goes on for whom a command has erased",
    RELAY,
    "relay/worker.ts",
    "of await parts.store.outbox.revoked(state.running.keys()))",
    "of [] as Job[])",
  ),
  without(
    "an upload outlives the erasure of its customer",
    RELAY,
    "store/tables/channels/kept-files.ts",
    "(at !== undefined && at !== before.at)",
    "false",
  ),
  without("the streams of an erased account stay open", PAGES, "relay/sessions/feeds.ts", "sessions.evict(id);"),
  without(
    "a file that was never sent stays",
    PAGES,
    "messengers/webchat/src/inbound.ts",
    "chat: visitor as ChatId } as const;",
    "chat: undefined as never } as const;",
  ),
];
