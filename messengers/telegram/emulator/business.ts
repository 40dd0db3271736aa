import { randomText } from "gangway-messenger/kit/emulator/random";
import { userOf } from "./rooms.ts";
import { enqueue } from "./update-queue.ts";
import type { Connection, World } from "./world.ts";

export const businessConnectionView = (world: World, { id, owner, at, enabled, rights }: Connection) => ({
  id,
  user: userOf(world, owner),
  user_chat_id: owner,
  date: Math.floor(at / 1000),
  // Telegram still sends the older name too.
  rights: { ...rights, ...(rights.can_delete_sent_messages && { can_delete_outgoing_messages: true }) },
  is_enabled: enabled,
});

export interface ConnectionChange {
  bot: number;
  owner: number;
  enabled?: boolean;
  rights?: Record<string, boolean>;
}

/** A person connects a business bot, changes its rights or disables it. */
export function connect(world: World, { bot, owner, enabled = true, rights }: ConnectionChange): Connection {
  const known = [...world.connections.values()].find((each) => each.bot === bot && each.owner === owner);
  const granted: Record<string, true> = {};
  for (const [name, isGiven] of Object.entries(rights ?? {})) if (isGiven) granted[name] = true;
  const connection: Connection = known ?? {
    id: randomText(22, world.random),
    bot,
    owner,
    at: world.clock.now(),
    enabled,
    rights: { can_reply: true, can_read_messages: true, can_delete_sent_messages: true },
    read: new Map(),
  };
  connection.enabled = enabled;
  if (rights) connection.rights = granted;
  world.connections.set(connection.id, connection);
  const notified = world.bots.get(bot);
  if (notified) enqueue(world, notified, "business_connection", businessConnectionView(world, connection));
  return connection;
}
