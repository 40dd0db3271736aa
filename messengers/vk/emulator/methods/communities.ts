import { randomText } from "gangway-messenger/kit/emulator/random";
import { z } from "zod";
import type { Core } from "../core.ts";
import { EVENTS, listedEvents } from "../events.ts";
import { type Asked, method } from "../method.ts";
import { bool, ints, names, positive, text } from "../params.ts";
import { VkRefusal } from "../refusal.ts";
import type { CallbackServer, Community, EventFlags } from "../world.ts";

const MAX_SERVERS = 10;
const RIGHTS = { manage: 262_144, photos: 4, messages: 4_096, docs: 131_072 } as const;
const flags = Object.fromEntries(EVENTS.map((name) => [name, bool.optional()]));
const eventsIn = (fields: Record<string, unknown>): EventFlags =>
  Object.fromEntries(
    EVENTS.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name] ? (1 as const) : (0 as const)]])),
  );

const view = ({ id, title, url, secret, status }: CallbackServer) => ({
  ...{ id, title, creator_id: 0, url, secret_key: secret, status },
});

function serverOf(community: Community, id: number | undefined): CallbackServer {
  const found = community.servers.find((server) => server.id === id);
  if (!found) throw new VkRefusal(104);
  return found;
}

/** At once, or by the clock. */
async function confirms(core: Core, community: Community, server: CallbackServer): Promise<void> {
  const { confirmAfterMs } = core.switches.values();
  server.status = "unconfigured";
  if (confirmAfterMs === 0) await core.courier.confirm(community, server);
  else core.clock.after(confirmAfterMs, () => void core.courier.confirm(community, server));
}

const address = {
  url: z.url({ protocol: /^https?$/ }),
  title: text.min(1).max(14),
  secret_key: text.max(50).optional(),
};

const own = method({
  name: "groups.getById",
  fields: { group_ids: names.optional(), fields: names.optional() },
  run: ({ community: { id, name, screenName } }) => ({
    groups: [{ id, name, screen_name: screenName, is_closed: 0, type: "group" }],
    profiles: [],
  }),
});

const permissions = method({
  ...{ name: "groups.getTokenPermissions", fields: {} },
  run({ token }) {
    const all = Object.entries(RIGHTS).filter(([name]) => token.rights.has(name));
    const list = all.map(([name, setting]) => ({ name, setting }));
    return { mask: list.reduce((sum, { setting }) => sum + setting, 0), permissions: list };
  },
});

const confirmation = method({
  ...{ name: "groups.getCallbackConfirmationCode", right: "manage", fields: {} },
  run: ({ community }) => ({ code: community.confirmation }),
});

const servers = method({
  ...{ name: "groups.getCallbackServers", right: "manage", fields: { server_ids: ints.optional() } },
  run({ community, fields: { server_ids: ids } }) {
    const items = community.servers.filter(({ id }) => !ids || ids.includes(id)).map(view);
    return { count: items.length, items };
  },
});

const add = method({
  ...{ name: "groups.addCallbackServer", right: "manage", fields: address },
  async run({ core, community, fields: { url, title, secret_key: secret = "" } }) {
    if (community.servers.length >= MAX_SERVERS) throw new VkRefusal(2000);
    const id = Math.max(0, ...community.servers.map((each) => each.id)) + 1;
    const server: CallbackServer = {
      ...{ id, url, title, secret, status: "unconfigured" },
      version: "5.199",
      events: {},
    };
    community.servers.push(server);
    await confirms(core, community, server);
    return { server_id: id };
  },
});

const change = method({
  ...{ name: "groups.editCallbackServer", right: "manage", fields: { server_id: positive, ...address } },
  async run({ core, community, fields: { server_id: id, url, title, secret_key: secret = "" } }) {
    const server = serverOf(community, id);
    Object.assign(server, { url, title, secret });
    await confirms(core, community, server);
    return 1;
  },
});

const remove = method({
  ...{ name: "groups.deleteCallbackServer", right: "manage", fields: { server_id: positive } },
  run({ community, fields }) {
    const server = serverOf(community, fields.server_id);
    community.servers = community.servers.filter((each) => each !== server);
    return 1;
  },
});

const settings = method({
  ...{ name: "groups.getCallbackSettings", right: "manage", fields: { server_id: positive.optional() } },
  run({ community, fields }) {
    const { version, events } = serverOf(community, fields.server_id);
    return { api_version: version, events: listedEvents(events) };
  },
});

const set = method({
  ...{ name: "groups.setCallbackSettings", right: "manage" },
  fields: { server_id: positive.optional(), api_version: text.optional(), ...flags },
  run({ community, fields }) {
    const server = serverOf(community, fields.server_id as number | undefined);
    server.version = (fields.api_version as string | undefined) ?? server.version;
    server.events = { ...server.events, ...eventsIn(fields) };
    return 1;
  },
});

/** A key that lives for a while. */
export function freshKey({ clock, random, switches }: Core, { longPoll }: Community): string {
  longPoll.key = randomText(40, random);
  longPoll.keyUntil = clock.now() + switches.values().keyLifeMs;
  return longPoll.key;
}

const pollServer = method({
  ...{ name: "groups.getLongPollServer", right: "manage", fields: {} },
  run({ core, community }: Asked<unknown>) {
    const { longPoll, id, ts } = community;
    if (!longPoll.isEnabled) throw new VkRefusal(100, "longpoll for this group is not enabled");
    const isAlive = longPoll.key !== "" && core.clock.now() < longPoll.keyUntil;
    return {
      key: isAlive ? longPoll.key : freshKey(core, community),
      server: `${core.origin()}/longpoll/${id}`,
      ts: String(ts),
    };
  },
});

const pollSettings = method({
  ...{ name: "groups.getLongPollSettings", right: "manage", fields: {} },
  run: ({ community: { longPoll } }) => ({
    ...{ is_enabled: longPoll.isEnabled, events: listedEvents(longPoll.events), api_version: longPoll.version },
  }),
});

const setPoll = method({
  ...{ name: "groups.setLongPollSettings", right: "manage" },
  fields: { enabled: bool.optional(), api_version: text.optional(), ...flags },
  run({ community: { longPoll }, fields }) {
    longPoll.isEnabled = (fields.enabled as boolean | undefined) ?? longPoll.isEnabled;
    longPoll.version = (fields.api_version as string | undefined) ?? longPoll.version;
    longPoll.events = { ...longPoll.events, ...eventsIn(fields) };
    return 1;
  },
});

export const communityMethods = [
  ...[own, permissions, confirmation, servers, add, change, remove, settings, set],
  ...[pollServer, pollSettings, setPoll],
];
