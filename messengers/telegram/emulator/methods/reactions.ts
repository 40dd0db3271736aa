import { badRequest } from "../refusal.ts";
import { changed } from "../rooms.ts";
import type { Method } from "./request.ts";
import { messageOf, targetOf } from "./targets.ts";

// https://core.telegram.org/bots/api#reactiontypeemoji
const EMOJIS = new Set(
  "👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡".split(
    " ",
  ),
);

const setMessageReaction: Method = (request) => {
  const { world, bot, args } = request;
  const { room } = targetOf(request);
  const found = messageOf(room, args.message_id, () => badRequest("message to react not found"));
  const reactions = args.reaction ?? [];
  if (reactions.length > 1) throw badRequest("REACTIONS_TOO_MANY");
  if (reactions.some(({ type, emoji }) => type !== "emoji" || !EMOJIS.has(emoji ?? "")))
    throw badRequest("REACTION_INVALID");
  if (reactions.length === 0) found.reactions.delete(bot.id);
  else
    found.reactions.set(
      bot.id,
      reactions.flatMap(({ emoji }) => emoji ?? []),
    );
  changed(world, room);
  return true;
};

export const reactionMethods: Record<string, Method> = { setMessageReaction };
