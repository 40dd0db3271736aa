import { DeliveryError } from "gangway-messenger/errors";
import type { ChatId } from "gangway-messenger/ids";
import type { EditStep } from "gangway-messenger/plan";
import type { ChannelSession } from "gangway-messenger/port";
import * as z from "zod";
import type { Login } from "../login.ts";
import { attachedKey } from "../notes.ts";
import { reactionsOf } from "../reactions.ts";
import { refusalError, VkError } from "../verdict.ts";
import { cmidIn } from "../wire.ts";
import { keyboardOf } from "./keyboard.ts";

type Revising = Required<Pick<ChannelSession, "revisions" | "reactions" | "readMarks">>;

const done = z.unknown();
const error = z.object({ code: z.int().nullish(), description: z.string().nullish() }).nullish();
/** Results by the messages' numbers in a chat, in three forms; `response` 0: it is not deleted. */
const deleted: z.ZodType<{ error?: z.infer<typeof error>; response?: unknown }[]> = z.union([
  z.array(z.object({ error, response: z.unknown() })),
  z.record(z.string(), z.unknown()).transform((all) => Object.values(all).map((response) => ({ response }))),
  z.int().transform((response) => [{ response }]),
]);

/** There is no such message: it is already deleted. */
const GONE = 100;

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

function numberIn(id: string): number {
  const cmid = cmidIn(id);
  if (cmid === undefined) throw refused("VK has no such message");
  return cmid;
}

/** Changes a message that exists. */
export function revising(login: Login): Revising {
  const { api, context } = login;
  const act = (method: string, params: Record<string, string | number | boolean | undefined>, signal: AbortSignal) =>
    api.call({ method: `messages.${method}`, params, result: done }, signal);
  return {
    revisions: {
      edit: (step, chat, signal) => edit(login, step, chat, signal),
      async delete({ chat, messengerMessageId: id }, signal) {
        const params = { peer_id: chat, cmids: numberIn(id), delete_for_all: true };
        const items = await api.call({ method: "messages.delete", params, result: deleted }, signal);
        const failed = items.find((each) => each.error)?.error;
        if (failed && failed.code !== GONE)
          throw refusalError({ code: failed.code ?? 0, said: failed.description ?? "" }, "messages.delete");
        if (!failed && items.some(({ response }) => response === 0)) throw refused("VK has not deleted the message");
      },
    },
    reactions: {
      async set({ chat, messengerMessageId: id }, reaction, signal) {
        const params = { peer_id: chat, cmid: numberIn(id) };
        if (reaction === null) return void (await act("deleteReaction", params, signal));
        const reaction_id = reactionsOf(context.server).idOf(reaction);
        if (reaction_id === undefined) throw refused("VK has no such reaction");
        await act("sendReaction", { ...params, reaction_id }, signal);
      },
    },
    readMarks: {
      async read({ chat, messengerMessageId: id }, signal) {
        signal.throwIfAborted();
        // A pressed button or a permission is not a message at VK.
        const cmid = cmidIn(id);
        if (cmid !== undefined) await act("markAsRead", { peer_id: chat, up_to_cmid: cmid }, signal);
      },
      // VK has no such mark.
      delivered: async () => {},
    },
  };
}

/** An edit drops what is not given again: attachments, too. */
async function edit({ api, context }: Login, step: EditStep, chat: ChatId, signal: AbortSignal): Promise<void> {
  const { part, text, suggestions } = step;
  const id = part.messengerMessageId;
  const attachment = part.holds === "text" ? undefined : await context.notes.get(attachedKey(id));
  if (part.holds !== "text" && !attachment) {
    const fixed = refused("nobody knows any more what hangs on this message");
    fixed.hindrance = { code: "fixed" };
    throw fixed;
  }
  const params = {
    ...{ peer_id: chat, cmid: numberIn(id), message: text || undefined, attachment },
    ...{ keep_forward_messages: true, keep_snippets: true, keyboard: keyboardOf(suggestions) },
  };
  try {
    await api.call({ method: "messages.edit", params, result: done }, signal);
  } catch (thrown) {
    if (thrown instanceof VkError && thrown.code === GONE) thrown.hindrance = { code: "gone" };
    throw thrown;
  }
}
