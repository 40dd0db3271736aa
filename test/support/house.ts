/** Which room may import what; a room may always import from itself. Entries are path prefixes below src/. */
export const ROOMS: Record<string, string[]> = {
  "domain/": [],
  "channels/port.ts": ["domain/"],
  "channels/registry.ts": ["channels/"],
  "channels/hosted.ts": ["domain/", "channels/port.ts"],
  "channels/": ["domain/", "channels/port.ts", "channels/hosted.ts"],
  "gateway/": ["domain/"],
  "crm/": ["domain/"],
  "store/": ["domain/"],
  "relay/": ["domain/", "store/", "gateway/", "channels/port.ts", "channels/hosted.ts", "log.ts"],
  "module/": [
    "domain/",
    "store/",
    "gateway/",
    "crm/",
    "channels/port.ts",
    "channels/hosted.ts",
    "channels/registry.ts",
    "relay/inbound.ts",
    "relay/journals.ts",
    "relay/outbound.ts",
    "relay/sessions.ts",
    "config.ts",
    "log.ts",
  ],
  "pages/": ["domain/"],
  "http/": [
    "domain/",
    "module/",
    "relay/inbound.ts",
    "relay/outbound.ts",
    "relay/sessions.ts",
    "pages/",
    "channels/port.ts",
    "channels/hosted.ts",
    "log.ts",
  ],
  "operator/": ["domain/", "channels/", "store/", "relay/", "module/", "config.ts", "log.ts"],
  "operator/main.ts": ["operator/", "domain/", "store/", "config.ts", "outgoing.ts"],
  outgoing: ["domain/", "outgoing"],
  "config.ts": ["domain/", "channels/port.ts", "channels/registry.ts"],
  "log.ts": [],
  "app.ts": [
    "domain/",
    "channels/",
    "gateway/",
    "crm/",
    "store/",
    "relay/",
    "module/",
    "http/",
    "pages/",
    "outgoing",
    "config.ts",
    "log.ts",
  ],
  "cli.ts": ["main.ts", "operator/main.ts"],
  "program.ts": ["app.ts", "config.ts", "http/closed.ts", "store/room.ts"],
  "main.ts": ["program.ts", "config.ts", "http/listening.ts", "log.ts", "store/store-error.ts"],
};

/** The room of a file, by its longest prefix; each messenger's folder is a room of its own. */
export function roomOf(file: string): string | undefined {
  const messenger = /^channels\/[^/]+\//.exec(file);
  if (messenger) return messenger[0];
  return Object.keys(ROOMS)
    .filter((room) => file.startsWith(room))
    .sort((a, b) => b.length - a.length)[0];
}

/** Undefined when `file` may import `target` (paths below src/), else what is wrong. */
export function importFault(file: string, target: string): string | undefined {
  const room = roomOf(file);
  if (!room) return `${file} stands in no room`;
  if (target.startsWith(room)) return undefined;
  const allowed = ROOMS[room] ?? ROOMS["channels/"] ?? [];
  if (allowed.some((prefix) => target.startsWith(prefix))) return undefined;
  return `${file} imports ${target}: ${room} may import only ${allowed.join(", ") || "itself"}`;
}
