import { readdirSync } from "node:fs";
import { join } from "node:path";

// Import rules for src/, packages/ and messengers/, enforced by `house.test.ts`.

/** Shared by all parts of the relay. */
const RELAY = ["domain/", "store/*", "gateway/", "log.ts"];

/**
 * Allowed imports by room, besides the room itself. Rooms and entries are path prefixes in src/, or in the checkout for
 * packages; a file belongs to its longest matching room. `store/*` means the files of that folder without its subfolders.
 */
export const ROOMS: Record<string, string[]> = {
  "domain/": [],
  "packages/messenger/": [],
  "packages/ui/": [],
  // Each folder is a room of its own.
  "messengers/": [],
  "messengers.ts": ["module/channels/abilities.ts", "settings.ts"],
  "gateway/": ["domain/"],
  "crm/": ["domain/"],
  // The port of the store knows no SQL; only `open.ts` builds the implementation.
  "store/*": ["domain/"],
  "store/open.ts": ["domain/", "store/"],
  "store/disk/": ["domain/", "store/*"],
  "store/tables/": ["domain/", "store/*"],
  "store/outbox/": ["domain/", "store/*", "store/tables/"],
  "store/erasing/": ["domain/", "store/*", "store/tables/"],
  "store/sqlite/database/": ["domain/", "store/*", "store/disk/", "store/tables/", "store/outbox/"],
  "store/sqlite/tables/": ["domain/", "store/*", "store/tables/", "store/outbox/", "store/sqlite/database/"],
  "store/sqlite/outbox/": [
    "domain/",
    "store/*",
    "store/tables/",
    "store/outbox/",
    "store/sqlite/database/",
    "store/sqlite/tables/",
  ],
  "store/objects/": ["domain/", "store/*"],
  "store/postgres/": ["domain/", "store/*", "store/tables/", "store/outbox/", "store/erasing/", "store/objects/"],
  "store/moving/": ["domain/", "store/"],
  "store/care/": [
    "domain/",
    "store/*",
    "store/tables/",
    "store/disk/",
    "store/erasing/",
    "store/sqlite/database/",
    "store/sqlite/tables/",
  ],
  "relay/accept/": [...RELAY, "relay/scheduler/", "relay/sessions/"],
  "relay/scheduler/": RELAY,
  "relay/limits/": RELAY,
  "relay/deliver/": [...RELAY, "relay/scheduler/", "relay/limits/", "relay/sessions/"],
  "relay/sessions/": [...RELAY, "relay/scheduler/", "relay/limits/"],
  "relay/worker.ts": [...RELAY, "relay/scheduler/", "relay/deliver/"],
  "watch/": ["domain/", "store/*", "log.ts"],
  "module/": [
    "domain/",
    "store/*",
    "gateway/",
    "crm/",
    "messengers.ts",
    "relay/accept/",
    "relay/sessions/",
    "config.ts",
    "log.ts",
  ],
  "pages/": ["domain/"],
  "http/": ["domain/", "module/", "relay/accept/", "relay/sessions/sessions.ts", "pages/", "log.ts"],
  "operator/": [
    "runtime.ts",
    "settings.ts",
    "domain/",
    "messengers.ts",
    "store/*",
    "store/care/",
    "store/moving/",
    "relay/sessions/",
    "module/",
    "config.ts",
    "log.ts",
  ],
  // A small module of its own: it speaks to CRM and gateway without a server.
  "operator/probe/": [
    "operator/command.ts",
    "operator/options.ts",
    "domain/",
    "gateway/",
    "crm/",
    "module/connecting/address.ts",
    "runtime.ts",
  ],
  "operator/main.ts": ["operator/run.ts"],
  "operator/run.ts": ["operator/", "domain/", "store/*", "messengers.ts", "settings.ts"],
  "operator/after-restore.ts": ["operator/", "store/postgres/care/after-restore.ts"],
  "operator/import.ts": ["operator/", "module/", "store/*", "store/postgres/database/foreign.ts"],
  "operator/context.ts": [
    "operator/",
    "domain/",
    "store/*",
    "store/disk/",
    "store/postgres/database/faults.ts",
    "messengers.ts",
    "config.ts",
    "calls/outgoing.ts",
  ],
  "calls/": ["domain/"],
  "config.ts": ["domain/", "setting-names.ts", "setting-values.ts", "settings.ts"],
  "settings.ts": ["domain/", "setting-values.ts"],
  "setting-names.ts": [],
  "setting-values.ts": ["domain/"],
  "log.ts": [],
  "app.ts": [
    "share.ts",
    "account-parts.ts",
    "console-parts.ts",
    "background.ts",
    "domain/",
    "messengers.ts",
    "gateway/",
    "crm/",
    "store/*",
    "relay/",
    "watch/",
    "module/",
    "http/",
    "pages/",
    "calls/",
    "config.ts",
    "log.ts",
    "store/disk/folder.ts",
    "store/postgres/database/faults.ts",
  ],
  "console-parts.ts": ["config.ts", "domain/", "http/", "log.ts", "module/", "relay/", "store/"],
  "account-parts.ts": [
    "domain/",
    "messengers.ts",
    "store/*",
    "relay/",
    "module/",
    "http/account/live.ts",
    "config.ts",
    "log.ts",
  ],
  "share.ts": ["domain/", "gateway/", "store/*", "relay/", "module/", "log.ts"],
  "background.ts": ["domain/", "gateway/", "store/*", "relay/", "watch/", "module/", "http/account/live.ts", "log.ts"],
  "cli.ts": ["runtime.ts", "main.ts", "operator/main.ts"],
  "runtime.ts": [],
  "main.ts": ["runtime.ts", "server.ts", "operator/main.ts"],
  "server.ts": [
    "runtime.ts",
    "app.ts",
    "domain/channel.ts",
    "messengers.ts",
    "config.ts",
    "settings.ts",
    "domain/errors.ts",
    "http/serving/listening.ts",
    "log.ts",
    "store/store.ts",
  ],
};

/** Rooms that may import each package; its types and errors must not leave them. */
export const PACKAGES: Record<string, string[]> = {
  "better-sqlite3": ["store/sqlite/", "store/care/", "store/disk/"],
  "drizzle-orm": [
    "store/sqlite/",
    "store/postgres/",
    "store/tables/",
    "store/outbox/",
    "store/erasing/",
    "store/moving/",
  ],
  pg: ["store/postgres/"],
  aws4fetch: ["store/objects/"],
  bottleneck: ["gateway/limiter.ts"],
  undici: ["calls/"],
  pino: ["log.ts"],
  hono: ["packages/messenger/src/kit/", "packages/ui/src/", "http/", "pages/"],
  "gangway-ui": ["pages/"],
  // Whatever the messengers see.
  "gangway-messenger": [
    ...[
      "messengers/",
      "messengers.ts",
      "domain/",
      "gateway/",
      "crm/",
      "store/",
      "relay/",
      "watch/",
      "module/",
      "pages/",
      "http/",
    ],
    ...[
      "operator/",
      "calls/",
      "config.ts",
      "settings.ts",
      "app.ts",
      "account-parts.ts",
      "console-parts.ts",
      "share.ts",
      "background.ts",
    ],
    "server.ts",
  ],
  // Of WhatsApp, Messenger and Instagram.
  "gangway-meta": ["messengers/whatsapp/", "messengers/facebook/", "messengers/instagram/"],
  ...Object.fromEntries(
    readdirSync(join(import.meta.dirname, "../messengers"))
      .filter((kind) => kind !== "meta")
      .map((kind) => [`gangway-${kind}`, ["messengers.ts"]]),
  ),
  "intl-messageformat": ["packages/messenger/src/language.ts"],
  semver: ["messengers.ts"],
  // Of the kit for tests, which no server imports.
  vitest: ["packages/messenger/src/kit/"],
  uqr: ["pages/try-out.tsx"],
  "@hono/node-server": ["http/"],
  zod: [
    "messengers.ts",
    "packages/messenger/",
    "messengers/",
    "gateway/",
    "crm/",
    "relay/",
    "module/",
    "http/",
    "pages/",
    "setting-values.ts",
    "settings.ts",
  ],
};

const fits = (file: string, prefix: string): boolean =>
  prefix.endsWith("*")
    ? file.startsWith(prefix.slice(0, -1)) && !file.slice(prefix.length - 1).includes("/")
    : file.startsWith(prefix);

function roomOf(file: string): string | undefined {
  const messenger = /^messengers\/[^/]+\//.exec(file);
  if (messenger) return messenger[0];
  return Object.keys(ROOMS)
    .filter((room) => fits(file, room))
    .sort((a, b) => b.length - a.length)[0];
}

/** Undefined if `file` may import `target`, else the fault. */
export function importFault(file: string, target: string): string | undefined {
  const room = roomOf(file);
  if (!room) return `${file} is in no room`;
  const allowed = ROOMS[room] ?? ROOMS["messengers/"] ?? [];
  if ([room, ...allowed].some((prefix) => fits(target, prefix))) return undefined;
  return `${file} imports ${target}: ${room} may import only ${allowed.join(", ") || "itself"}`;
}

/** The same for Node's modules and packages. */
export function packageFault(file: string, specifier: string): string | undefined {
  if (specifier.startsWith("node:") && specifier !== "node:process") return undefined;
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const allowed = PACKAGES[name];
  if (!allowed) return `${file} imports ${specifier}: test/imports.ts does not list it`;
  if (allowed.some((prefix) => fits(file, prefix))) return undefined;
  return `${file} imports ${specifier}: only ${allowed.join(", ")} may`;
}
