import { refusal } from "../graph-error.ts";
import { chatOf } from "./chats.ts";
import type { Platform } from "./network.ts";
import { words } from "./refusals.ts";
import type { SendBody } from "./send-shape.ts";
import { type Account, type Chat, HUMAN_AGENT_MS } from "./world.ts";

/** The chat that a message goes to. Throws GraphRefusal. */
export function recipientOf(platform: Platform, account: Account, { id, comment_id }: SendBody["recipient"]): Chat {
  if ((id === undefined) === (comment_id === undefined)) throw refusal(100, "The parameter recipient is required.");
  const chat = id === undefined ? commented(platform, account, comment_id ?? "") : known(platform, account, id);
  if (chat.person.isGone || chat.isBlocked) throw words(551, 1545041);
  if (chat.isMuted) throw words(10, 2018108);
  return chat;
}

function known({ world, network }: Platform, account: Account, id: string): Chat {
  const chat = world.chats.find((each) => each.account === account && each.scopedId === id);
  // A person that has never written is unknown to the account.
  if (!chat || (chat.messages.length === 0 && chat.wroteAt === 0)) throw network.unknownRecipient();
  return chat;
}

/** A private reply: one for each comment, within seven days. */
function commented(platform: Platform, account: Account, id: string): Chat {
  const comment = platform.world.comments.get(id);
  if (comment?.account !== account) throw platform.network.unknownRecipient();
  if (comment.hasReply) throw words(10900);
  if (platform.core.clock.now() - comment.at > HUMAN_AGENT_MS) throw words(10903);
  return chatOf(platform, account, comment.person);
}
