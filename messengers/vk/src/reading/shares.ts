import { cutText } from "gangway-messenger/text";
import * as z from "zod";
import type { Attachment } from "../wire.ts";
import { isWeb } from "./files.ts";
import type { Lines } from "./lines.ts";

// Attachments for which the CRM has no kind, as lines: a head, the words, and the URL at VK.

const text = z.string().nullish().catch(undefined);
const int = z.int().nullish().catch(undefined);
const shared = z.object({
  ...{ id: int, owner_id: int, from_id: int, to_id: int, post_id: int },
  ...{ title: text, name: text, text, caption: text, artist: text, question: text, url: text, view_url: text },
  price: z.object({ text }).nullish().catch(undefined),
  answers: z.array(z.object({ text })).nullish().catch(undefined),
});
type Shared = z.infer<typeof shared>;

/** Maximum length of a post that is shown. */
const EXCERPT = 500;

const SITE = "https://vk.com";
const at = (kind: string, owner: number | null | undefined, { id }: Shared): string | undefined =>
  owner && id ? `${SITE}/${kind}${owner}_${id}` : undefined;

/** By VK's name of the kind: head, words, URL. */
const KINDS: Record<string, (share: Shared, lines: Lines) => (string | null | undefined)[]> = {
  video: (share, { video }) => [`🎬 ${share.title || video}`, at("video", share.owner_id, share)],
  audio: ({ artist, title }, { audio }) => [`🎵 ${[artist, title].filter(Boolean).join(" – ") || audio}`],
  wall: (share, { post }) => [post, share.text, at("wall", share.owner_id ?? share.from_id ?? share.to_id, share)],
  wall_reply: (share, { comment }) => [comment, share.text, replyAddress(share)],
  market: (share, { product }) => [
    `${product} ${[share.title, share.price?.text].filter(Boolean).join(", ")}`.trim(),
    share.owner_id && share.id ? `${SITE}/market${share.owner_id}?w=product${share.owner_id}_${share.id}` : undefined,
  ],
  market_market_album: albumOf,
  market_album: albumOf,
  poll: ({ question, answers }, { poll }) => [
    `${poll} ${question ?? ""}`.trim(),
    ...(answers ?? []).map((answer) => answer.text && `– ${answer.text}`),
  ],
  story: (share, { story }) => [story, at("story", share.owner_id, share)],
  link: ({ title, url }, { link }) => [title || link, url],
  article: ({ title, url, view_url: view }, { article }) => [`${article} ${title ?? ""}`.trim(), url || view],
  call: (_, { call }) => [call],
  gift: (_, { gift }) => [gift],
};

function albumOf({ title, owner_id: owner, id }: Shared, { album }: Lines) {
  return [`${album} ${title ?? ""}`.trim(), owner && id ? `${SITE}/market${owner}?section=album_${id}` : undefined];
}

const replyAddress = ({ owner_id: owner, post_id: post, id }: Shared): string | undefined =>
  owner && post ? `${SITE}/wall${owner}_${post}${id ? `?reply=${id}` : ""}` : undefined;

/** Undefined: the message's own words say it. */
export function lineOf({ type, ...all }: Attachment, words: string, lines: Lines): string | undefined {
  const share = shared.safeParse(all[type] ?? {}).data;
  const tell = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  const address = share?.url || undefined;
  // A link in the text also comes as an attachment.
  if (type === "link" && address && words.includes(address)) return undefined;
  const told = share && tell?.(share, lines);
  if (!told) return [lines.unknown({ kind: type }), isWeb(address) ? address : undefined].filter(Boolean).join("\n");
  return told.flatMap((line) => (line ? [cutText(line, EXCERPT)] : [])).join("\n");
}
