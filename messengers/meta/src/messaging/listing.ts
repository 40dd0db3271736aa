import type { ChannelSession } from "gangway-messenger/port";
import * as z from "zod";
import { type Entry, id } from "../envelope.ts";
import { queryOf } from "../list.ts";
import { timeOf } from "../time.ts";
import type { Login } from "./network.ts";
import { isForLists } from "./notes.ts";
import { askingPeople } from "./people.ts";
import { readEntries } from "./reading.ts";

// Conversations as Meta lists them, those with the newest messages first (docs/messenger-platform/conversations).

/** Conversations of a page. */
const PAGE = 20;
/** Only the newest messages of a conversation can be read (the same page). */
const NEWEST = 20;
/** The list gives whole seconds. */
const SECOND_MS = 1_000;
/**
 * Meta allows 200 calls a day for each person who can be written to: from this share on, percent, the listing pauses
 * for this long, ms.
 */
const [SPARING, REST_MS] = [50, 3_600_000];

const part = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);
const edge = <Schema extends z.ZodType>(entry: Schema) => part(z.object({ data: z.array(entry) }));
const text = part(z.string());
const media = part(z.object({ url: text }));
const link = part(z.object({ link: text, name: text }));
/** ISO 8601, or seconds since 1970. */
const time = z
  .union([z.string(), z.number()])
  .transform((given) => (/^\d+$/.test(String(given)) ? timeOf(given, 0) : Date.parse(String(given))))
  .refine((ms) => ms > 0);

const attachment = z.object({ mime_type: text, file_url: text, image_data: media, video_data: media });
type ListedAttachment = z.infer<typeof attachment>;
const message = z.object({
  id: z.string().min(1),
  created_time: time,
  from: z.object({ id }),
  to: edge(z.object({ id })),
  message: text,
  sticker: text,
  is_unsupported: part(z.boolean()),
  attachments: edge(attachment),
  shares: edge(link),
  story: part(z.object({ mention: link, reply_to: link })),
});
type ListedMessage = z.infer<typeof message>;
const conversation = z.object({ updated_time: time, messages: edge(z.unknown()) });
type Conversation = z.infer<typeof conversation>;
const page = z.object({ data: z.array(z.unknown()), paging: part(z.object({ next: text })) });

/**
 * `oldest`: the time down to which the listing goes; `newest`: the time with which it began, unless this is its first
 * page; ms.
 */
const cursor = z.object({ query: z.record(z.string(), z.string()), oldest: z.number(), newest: z.number().optional() });
type Cursor = z.infer<typeof cursor>;

/** Lists the messages of the conversations that have changed. */
export function listing(login: Login): NonNullable<ChannelSession["list"]> {
  const { graph, network, ownId } = login;
  const reader = withFewerNotes(login);
  const ask = askingPeople(reader);
  const fields = `created_time,from,to,message,attachments,${network.listed.fields}`;
  const first = {
    platform: network.listed.platform,
    limit: String(PAGE),
    fields: `updated_time,messages.limit(${NEWEST}){${fields}}`,
  };
  return async (since, at, signal) => {
    const from: Cursor = at === undefined ? { query: first, oldest: since } : cursor.parse(JSON.parse(at));
    const request = { method: "GET" as const, path: `${ownId}/conversations`, result: page, what: "the conversations" };
    const { data, paging } = await graph.call({ ...request, query: from.query }, signal);
    const listed = data.flatMap((each) => conversation.safeParse(each).data ?? []);
    const changed = listed.filter(({ updated_time }) => updated_time + SECOND_MS > from.oldest);
    const messages = changed.flatMap(messagesIn).filter(({ created_time }) => created_time + SECOND_MS > since);
    const { events, notes } = await readEntries([entryOf(messages, login)], reader, ask);
    const query = changed.length < listed.length ? undefined : queryOf(paging?.next);
    const next = nextOf(from, query, { first, newest: from.newest ?? listed[0]?.updated_time });
    const completeFrom = Math.max(0, ...changed.map(beginningOf));
    return {
      ...{ events, notes, next: next && JSON.stringify(next) },
      ...(completeFrom > since && { completeFrom }),
      ...(graph.used() >= SPARING && { restMs: REST_MS }),
    };
  };
}

/** Conversations move while the list is paged through: those that have moved to the top are read once more. */
function nextOf(
  { oldest, newest: before }: Cursor,
  query: Cursor["query"] | undefined,
  { first, newest }: { first: Cursor["query"]; newest: number | undefined },
): Cursor | undefined {
  if (query) return { query, oldest, newest };
  return before === undefined ? undefined : { query: first, oldest: before };
}

const messagesIn = ({ messages }: Conversation): ListedMessage[] =>
  (messages?.data ?? []).flatMap((each) => message.safeParse(each).data ?? []);

/** The time from which a conversation is listed completely, ms; 0: from its beginning. */
function beginningOf(of: Conversation): number {
  if ((of.messages?.data.length ?? 0) < NEWEST) return 0;
  return Math.min(...messagesIn(of).map(({ created_time }) => created_time));
}

/** The events that a webhook would have brought. */
function entryOf(messages: ListedMessage[], { ownId, network }: Login): Entry {
  const messaging = messages
    .toReversed()
    .toSorted((a, b) => a.created_time - b.created_time)
    .flatMap((each) => {
      const isOwn = each.from.id === ownId;
      const customer = isOwn ? each.to?.data[0]?.id : each.from.id;
      if (customer === undefined) return [];
      const [sender, recipient] = isOwn ? [ownId, customer] : [customer, ownId];
      const event = { sender: { id: sender }, recipient: { id: recipient }, timestamp: each.created_time };
      return [{ ...event, message: { ...wireMessage(each, network.listed.share), is_echo: isOwn } }];
    });
  return { id: ownId, time: undefined, standby: undefined, messaging };
}

function wireMessage({ id: mid, message: words, ...listed }: ListedMessage, share: string) {
  const { sticker, story, is_unsupported } = listed;
  const files = (listed.attachments?.data ?? []).map(wireAttachment);
  // A sticker is also an attachment, or a share.
  const stickers = sticker && files.length === 0 ? [{ type: "sticker", payload: { url: sticker } }] : [];
  const shares = sticker
    ? []
    : (listed.shares?.data ?? []).flatMap((each) => (each?.link ? [shareOf(each, share)] : []));
  const mention = story?.mention?.link ? [{ type: "story_mention", payload: { url: story.mention.link } }] : [];
  const attachments = [...files, ...stickers, ...shares, ...mention];
  return {
    mid,
    ...(words && { text: words }),
    ...(attachments.length > 0 && { attachments }),
    ...(story?.reply_to && { reply_to: { story: { url: story.reply_to.link } } }),
    // What cannot be read is described in words.
    is_unsupported: is_unsupported ?? (!words && attachments.length === 0),
  };
}

const shareOf = ({ link: url, name: title }: NonNullable<z.infer<typeof link>>, type: string) => ({
  ...{ type, title, url, payload: { url, title } },
});

function wireAttachment({ mime_type: type, file_url: file, image_data: image, video_data: video }: ListedAttachment) {
  if (image?.url) return { type: "image", payload: { url: image.url } };
  if (video?.url) return { type: "video", payload: { url: video.url } };
  if (file) return { type: type?.startsWith("audio/") ? "audio" : "file", payload: { url: file } };
  return { type: "unsupported_type" };
}

function withFewerNotes(login: Login): Login {
  const { notes } = login.context;
  const get = async (key: string) => (isForLists(key) ? notes.get(key) : undefined);
  return { ...login, context: { ...login.context, notes: { ...notes, get } } };
}
