import type { ChannelSession } from "gangway-messenger/port";
import { buttonsOf } from "gangway-meta/messaging/buttons";
import { fileTypeOf, type Outlet, sending } from "gangway-meta/messaging/sending";
import { recipientOf } from "./comments.ts";
import { settled, underWay } from "./echoes.ts";
import { loginTo } from "./network.ts";
import { commentKey } from "./notes.ts";
import type { Context } from "./server.ts";
import { IMAGE_BYTES, TEXT_BYTES } from "./wire.ts";

const IMAGE = /^image\/(jpeg|png|gif)$/;
const AUDIO = /^audio\/(aac|mp4|m4a|x-m4a|wav|x-wav)$/;
/** Instagram treats an Ogg file as a video, also without pictures. */
const VIDEO = /^(video\/(mp4|ogg|webm|quicktime|x-msvideo)|(audio|application)\/ogg)$/;

/** All other files are sent as links. */
const typeOf: Outlet["typeOf"] = (_, file) => {
  const type = fileTypeOf(file);
  if (IMAGE.test(type) && (file.size ?? 0) <= IMAGE_BYTES) return "image";
  if (AUDIO.test(type)) return "audio";
  if (VIDEO.test(type)) return "video";
  return type === "application/pdf" ? "file" : undefined;
};

/** Sends what agents write: one message a step. */
export function sendingTo(context: Context): Pick<ChannelSession, "send" | "lookup" | "reactions" | "readMarks"> {
  const login = loginTo(context);
  return sending(login, {
    text: TEXT_BYTES,
    textUnit: "bytes",
    typeOf,
    buttons: buttonsOf,
    // The only reaction that it accepts.
    reaction: () => "love",
    recipient: (chat) => recipientOf(login, chat),
    before: (message, target) => underWay(message, target, context.clock.now()),
    after: (message, target, mid) => [
      ...settled(message, target, mid),
      ...(mid ? [{ key: commentKey(target.chat), value: "" }] : []),
    ],
  });
}
