import type { Sabotage } from "./sabotage.ts";

/** One protection of logins at messengers, and of what they bring, at one place. */
const without = (what: string, tests: string[], file: string, find: string, replace = ""): Sabotage => ({
  promise: "T35",
  what,
  tests,
  patches: [{ file, find, replace }],
});

const THREATS = ["test/system/threats/logins"];

export const SABOTAGES_OF_LOGINS: Sabotage[] = [
  without(
    "any state is accepted",
    THREATS,
    "module/channels/login-memory.ts",
    "find((each) => sameSecret(stateHash, each.stateHash))",
    "find((each) => stateHash !== each.stateHash || true)",
  ),
  without("a state counts twice", THREATS, "module/channels/login-memory.ts", "own.back ??= ask(", "own.back = ask("),
  without(
    "a state of one messenger counts at another",
    THREATS,
    "module/channels/login-memory.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source code.
    "`${id} ${kind}`",
    "kind === undefined ? id : id",
  ),
  without(
    "a login is kept for good",
    THREATS,
    "module/account/expiring.ts",
    "cancel: clock.after(ms, () => kept.delete(key))",
    "cancel: () => void [clock, ms]",
  ),
  without(
    "another site may begin a login",
    THREATS,
    "http/account/logins.ts",
    'if (!ownOrigin(c, publicUrl)) return say(c, 403, "foreign");',
    "void [ownOrigin, publicUrl];",
  ),
  without(
    "the code is not masked in the log",
    THREATS,
    "module/channels/logins.ts",
    "if (query.code) log.hide(query.code);",
  ),
  without(
    "a renewal does not wait for its commit",
    ["test/unit/module/channels/renewal"],
    "module/channels/renewal.ts",
    "await store.channels.change(id, { name, settings, unsure });",
    "void store.channels.change(id, { name, settings, unsure }).catch(() => {});",
  ),
  without(
    "renewals run side by side",
    ["test/unit/module/channels/renewal"],
    "module/channels/channels.ts",
    "    renew: (id, stop) =>\n      serial(id, async () => {",
    "    renew: (id, stop) =>\n      serial(id + Math.random(), async () => {",
  ),
];
