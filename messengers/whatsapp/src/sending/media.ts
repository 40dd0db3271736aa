import { DeliveryError } from "gangway-messenger/errors";
import type { FilePart, GatewayFile } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import { cutFileName } from "gangway-messenger/text";
import { type CloudApi, typeOf } from "../api.ts";
import type { Context } from "../server.ts";
import { AUDIO_BYTES, IMAGE_BYTES, STICKER_BYTES, VIDEO_BYTES } from "../wire.ts";

type Kind = "image" | "video" | "audio" | "document" | "sticker";

/** A file of a step, as the wire refers to it. */
export interface Medium {
  kind: Kind;
  source: { id: string } | { link: string };
  name?: string;
  isVoice?: true;
  /** A picture that has to be sent as a document. */
  demoted?: true;
}

const IMAGE = /^image\/(jpeg|png)$/;
const VIDEO = /^video\/(mp4|3gpp)$/;
const AUDIO = /^audio\/(aac|amr|mpeg|mp4|ogg)$/;
/** Shown as a voice message: OGG with the Opus codec. */
const VOICE = /^(audio|application)\/(ogg|opus)$/;

/** Documents that Meta takes. */
const DOCUMENTS =
  /^(application\/(pdf|msword|vnd\.(openxmlformats-officedocument\.(wordprocessingml\.document|spreadsheetml\.sheet|presentationml\.presentation)|ms-excel|ms-powerpoint))|text\/plain)$/;
const isAccepted = (type: string) =>
  [IMAGE, VIDEO, AUDIO, VOICE, DOCUMENTS].some((accepted) => accepted.test(type)) || type === "image/webp";

/**
 * Uploads an agent's file, streamed; a picture of a public address is fetched by Meta. Undefined: Meta does not take this
 * type. Throws DeliveryError.
 */
export async function mediumOf(
  { gatewayFile }: Pick<Context, "gatewayFile">,
  api: CloudApi,
  step: Pick<SendStep, "kind"> & Partial<Pick<SendStep, "text" | "suggestions">>,
  { file, name }: FilePart,
  signal: AbortSignal,
): Promise<Medium | undefined> {
  if (file.at === "web") return { kind: "image", source: { link: file.url } };
  if (file.at !== "gateway")
    throw new DeliveryError({ type: "reject", code: "general" }, "the file is not at the gateway");
  const found = await gatewayFile(file.id, signal);
  const named: GatewayFile = { ...found, name: name ?? found.name };
  if (!isAccepted(typeOf(named))) return undefined;
  const { kind: as, text, suggestions = [] } = step;
  const kind = kindOf(as, named, Boolean(text) || suggestions.length > 0);
  const mediaType = VOICE.test(typeOf(named)) && kind === "audio" ? "audio/ogg" : typeOf(named);
  const id = await api.upload({ ...named, mediaType }, signal);
  return {
    kind,
    source: { id },
    name: named.name,
    ...(kind === "audio" && mediaType === "audio/ogg" && { isVoice: true }),
    ...(as === "image" && kind === "document" && { demoted: true }),
  };
}

/** `hasWords`: a sticker has no room for a caption. */
function kindOf(as: SendStep["kind"], file: GatewayFile, hasWords: boolean): Kind {
  const type = typeOf(file);
  const size = file.size ?? 0;
  if (as === "image" && type === "image/webp" && size <= STICKER_BYTES && !hasWords) return "sticker";
  if (as === "image" && IMAGE.test(type) && size <= IMAGE_BYTES) return "image";
  if (as === "audio" && (AUDIO.test(type) || VOICE.test(type)) && size <= AUDIO_BYTES) return "audio";
  if (VIDEO.test(type) && size <= VIDEO_BYTES) return "video";
  return "document";
}

/** Longest file name, characters. */
const NAME_LENGTH = 240;

/** Whether it has a caption, and may be above the text of buttons. */
export const hasCaption = ({ kind }: Medium): boolean => kind !== "audio" && kind !== "sticker";

export function wireOf({ kind, source, name, isVoice }: Medium, caption: string): Record<string, unknown> {
  return {
    ...source,
    ...(caption && hasCaption({ kind, source }) && { caption }),
    ...(kind === "document" && name && { filename: cutFileName(name, NAME_LENGTH) }),
    ...(isVoice && { voice: true }),
  };
}

/** A file above the text of buttons; WhatsApp has no others there. */
export function headerOf({ kind, source, name }: Medium): Record<string, unknown> | undefined {
  if (kind !== "image" && kind !== "video" && kind !== "document") return undefined;
  const filename = kind === "document" && name ? { filename: cutFileName(name, NAME_LENGTH) } : {};
  return { type: kind, [kind]: { ...source, ...filename } };
}
