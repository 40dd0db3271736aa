import { type ChatRef, post, say } from "./messages.ts";
import { NORMAL, type Stage } from "./stage.ts";

/** Every call that refers to a message, by the messenger's id. */
export async function driveReferences(stage: Stage, { channel, chat }: ChatRef): Promise<void> {
  const { transport, user, running, until, reply } = stage;
  const message = { external_id: "by-name" };
  await post(stage, channel, message);
  await post(stage, channel, {}, { quote: message });
  await transport("PUT", "/messages", { channel, message: { ...message, text: "Edited" } });
  for (const method of ["POST", "DELETE"])
    await transport(method, "/messages/reaction", { channel, message, reaction: "👍" });
  await transport("DELETE", "/messages", { channel, message });
  await transport("POST", "/messages/restore", { channel_id: channel, message });
  const sent = await say(user, chat, { content: "Read it" });
  const external_id = await until("delivery", () => running.sandbox.world.messageById(sent)?.externalId);
  await transport("POST", "/messages/read", { channel_id: channel, message: { external_id } });
  reply(() => ({ body: { async: true } }));
  const later = await say(user, chat, { content: "Later" });
  await until("acceptance", () => running.sandbox.world.messageById(later)?.status === "sent");
  await transport("POST", "/messages/ack", { channel, message: { id: later }, transport_message_id: "named-late" });
  reply(() => ({ body: { async: true, external_message_id: "named-early" } }));
  const early = await say(user, chat, { content: "Named early" });
  await until("acceptance", () => running.sandbox.world.messageById(early)?.externalId);
  await transport("POST", "/messages/ack", { channel, external_message_id: "named-early" });
  reply(NORMAL);
}
