import type { Sabotage } from "./sabotage.ts";

/** One protection of the apps' doors and of what is parked, at one place. */
const without = (what: string, tests: string[], file: string, find: string, replace = ""): Sabotage => ({
  promise: "T34",
  what,
  tests,
  patches: [{ file, find, replace }],
});

export const SABOTAGES_OF_APPS: Sabotage[] = [
  without(
    "an app's batch is answered before all of it is stored",
    ["test/unit/http/doors/doors.apps.test"],
    "module/channels/apps.ts",
    "await forward([...forwarded, ...(await ofEachLogin(parts, shared))]);",
    "void ofEachLogin(parts, shared).then((more) => forward([...forwarded, ...more])).catch(() => {});",
  ),
  without(
    "a parked part is removed before it is read",
    ["test/unit/relay/accept/inbound.parked"],
    "relay/accept/inbound.ts",
    "if (!found) return true;",
    "if (!found) return true;\n    await parked.remove(position);",
  ),
  without(
    "what arrives passes what is parked",
    ["test/unit/http/doors/doors.apps.test"],
    "relay/accept/inbound.ts",
    "store.parked.waits(login, channel.accountId)",
    "login === undefined",
  ),
  without(
    "a part takes up another account's room unproven",
    ["test/system/threats/apps.test"],
    "relay/accept/inbound.ts",
    "const own = proven || !isForeign(from, channel) ? channel : undefined;",
    "const own = channel;",
  ),
  without(
    "a login of nobody's has all the room",
    ["test/unit/store/tables/channels/raw-webhooks.parked"],
    "store/tables/channels/raw-webhooks.ts",
    "const most = isStrange(owner) ? OF_STRANGERS : BOUNDS;",
    "const most = BOUNDS;",
  ),
  without(
    "another account's channel reads what is parked for a login",
    ["test/unit/relay/accept/inbound.parked"],
    "store/tables/channels/raw-webhooks.ts",
    "owner === accountId || isStrange(owner)",
    "owner !== accountId || isStrange(owner)",
  ),
  without(
    "an erased customer stays in what is parked",
    ["test/unit/store/erasing/customer.parked"],
    "store/erasing/customer.ts",
    "await eraseParked(run, PARKED_FOR, { channelId }, isNamed);",
  ),
  without(
    "a person's request to be erased is answered but not stored",
    ["test/unit/http/doors/doors.apps.test"],
    "store/erasing/erasure.ts",
    "await write(() => run(ADD, { id, kind, sealed, now }));",
    "void [sealed, kind, now, write];",
  ),
];
