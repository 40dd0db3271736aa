import type { Message, SandboxChannel, Speaker } from "../world.ts";
import { emitMessage } from "./chats.ts";
import type { Gateway, Way } from "./gateway.ts";
import { checkFeature, checkReaction } from "./policy.ts";
import { isSame } from "./wire.ts";

/** Adds a reaction; beyond the channel's count it replaces the author's oldest. Undefined: already there. */
export function addReaction(
  gateway: Gateway,
  channel: SandboxChannel,
  message: Message,
  by: Speaker,
  content: string,
  way: Way,
): { added: string; removed?: string } | undefined {
  checkReaction(channel, message.type, content, way);
  const own = message.reactions.filter((reaction) => isSame(reaction.by, by));
  if (own.some((reaction) => reaction.content === content)) return undefined;
  const max = channel.settings.reactions?.max_count ?? 1;
  const oldest = max > 0 && own.length >= max ? own[0] : undefined;
  message.reactions = [
    ...message.reactions.filter((reaction) => reaction !== oldest),
    { by, content, at: gateway.clock.now() },
  ];
  emitUpdated(gateway, message);
  return { added: content, removed: oldest?.content };
}

/** Removes one reaction of the author, or all; returns the removed. */
export function removeReactions(
  gateway: Gateway,
  channel: SandboxChannel,
  message: Message,
  by: Speaker,
  content: string | undefined,
  way: Way,
): string[] {
  checkFeature(channel, message.type, "reaction", way);
  const gone = message.reactions.filter((r) => isSame(r.by, by) && (content === undefined || r.content === content));
  if (gone.length === 0) return [];
  message.reactions = message.reactions.filter((reaction) => !gone.includes(reaction));
  emitUpdated(gateway, message);
  return gone.map((reaction) => reaction.content);
}

function emitUpdated(gateway: Gateway, message: Message): void {
  const chat = gateway.world.chats.get(message.chatId);
  if (chat) emitMessage(gateway, "message_updated", chat, message);
}
