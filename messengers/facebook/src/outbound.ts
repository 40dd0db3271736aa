import type { ChannelSession } from "gangway-messenger/port";
import { buttonsOf } from "gangway-meta/messaging/buttons";
import { knownNotes } from "gangway-meta/messaging/notes";
import { type AttachmentType, fileTypeOf, type Outlet, sending } from "gangway-meta/messaging/sending";
import { loginTo, metadataOf } from "./network.ts";
import type { Context } from "./server.ts";
import { TEXT_LENGTH } from "./wire.ts";

const typeOf: Outlet["typeOf"] = (kind, file): AttachmentType => {
  const type = fileTypeOf(file);
  if (kind === "image" && /^image\/(jpeg|png|gif|webp)$/.test(type)) return "image";
  if (kind === "audio" && /^audio\//.test(type)) return "audio";
  return /^video\/(mp4|ogg|webm|quicktime)$/.test(type) ? "video" : "file";
};

/** Sends what agents write: one message a step. */
export function sendingTo(context: Context): Pick<ChannelSession, "send" | "lookup" | "reactions" | "readMarks"> {
  return sending(loginTo(context), {
    text: TEXT_LENGTH,
    typeOf,
    takesAnyFile: true,
    buttons: buttonsOf,
    reaction: (emoji) => emoji,
    metadata: (key) => metadataOf(context.channelId, key),
    after: (_, { key }, mid) => (mid ? knownNotes(key, mid) : []),
  });
}
