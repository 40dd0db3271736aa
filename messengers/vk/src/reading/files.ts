import type { FilePart } from "gangway-messenger/message";
import { cutFileName } from "gangway-messenger/text";
import * as z from "zod";
import { type Attachment, type Picture, picture } from "../wire.ts";

export interface Found {
  type: "image" | "file" | "audio";
  part: FilePart;
}

const text = z.string().nullish().catch(undefined);
const int = z.number().nullish().catch(undefined);
const photo = z.object({ id: int, sizes: picture });
const doc = z.object({ title: text, ext: text, url: z.string(), size: int, type: int });
const voice = z.object({ link_ogg: text, link_mp3: text, duration: int });
const sticker = z.object({ images: picture });
const graffiti = z.object({ url: z.string(), width: int, height: int });
const gift = z.object({ thumb_256: text, thumb_96: text });

/** Types of documents: 3 is a GIF, 4 a picture (dev.vk.com/reference/objects/doc). */
const PICTURES = [3, 4];
const MAX_NAME = 150;

/** The file of an attachment; undefined: it has none, or is not as documented. */
export function fileOf({ type, ...all }: Attachment): Found | undefined {
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  return read?.(all[type]);
}

const READERS: Record<string, (given: unknown) => Found | undefined> = {
  photo: (given) => pictureOf(photo.safeParse(given).data?.sizes, "photo.jpg"),
  sticker: (given) => pictureOf(sticker.safeParse(given).data?.images, "sticker.png"),
  graffiti(given) {
    const { url, width, height } = graffiti.safeParse(given).data ?? {};
    return pictureOf(url ? [{ url, width, height }] : [], "graffiti.png");
  },
  gift(given) {
    const { thumb_256: large, thumb_96: small } = gift.safeParse(given).data ?? {};
    const url = large ?? small;
    return pictureOf(url ? [{ url, width: undefined, height: undefined }] : [], "gift.png");
  },
  doc(given) {
    const read = doc.safeParse(given).data;
    if (!read || !isWeb(read.url)) return undefined;
    const size = read.size && read.size > 0 ? read.size : undefined;
    const type = PICTURES.includes(read.type ?? 0) ? "image" : "file";
    return { type, part: { file: { at: "messenger", ref: read.url }, name: nameOf(read), ...(size && { size }) } };
  },
  audio_message(given) {
    const { link_ogg: ogg, link_mp3: mp3, duration } = voice.safeParse(given).data ?? {};
    const url = ogg || mp3;
    if (!isWeb(url)) return undefined;
    const name = url === ogg ? "voice.ogg" : "voice.mp3";
    const mediaType = url === ogg ? "audio/ogg" : "audio/mpeg";
    return {
      type: "audio",
      part: { file: { at: "messenger", ref: url }, name, mediaType, ...(duration && { duration }) },
    };
  },
};

/** The largest of its sizes. */
function pictureOf(sizes: Picture, name: string): Found | undefined {
  const area = ({ width, height }: NonNullable<Picture>[number]) => (width ?? 0) * (height ?? 0);
  const usable = (sizes ?? []).filter(({ url }) => isWeb(url));
  const [first] = usable.toSorted((a, b) => area(b) - area(a));
  if (!first) return undefined;
  const { url, width, height } = first;
  const size = { ...(width && { width }), ...(height && { height }) };
  return { type: "image", part: { file: { at: "messenger", ref: url }, name, ...size } };
}

/** With its extension, which the title may lack. */
function nameOf({ title, ext }: z.infer<typeof doc>): string {
  const name = cutFileName((title || "file").replace(/[/\\\p{Cc}]/gu, "_"), MAX_NAME);
  const extension = ext && /^\w{1,10}$/.test(ext) ? `.${ext}` : "";
  return name.toLowerCase().endsWith(extension.toLowerCase()) ? name : name + extension;
}

export const isWeb = (url: string | null | undefined): url is string =>
  typeof url === "string" && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
