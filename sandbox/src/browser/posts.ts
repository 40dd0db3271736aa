import { fileTypeIn } from "./attachments.ts";
import type { Draft, KeptFile } from "./drafts.ts";
import type { Channel, Chat, Suggestion, SuggestionType } from "./model.ts";
import { allows, may } from "./model.ts";
import type { Post } from "./outbox.ts";

/** Why nothing can be written to the customer now. */
export function hindranceOf(chat: Chat, channel: Channel | undefined): string | undefined {
  if (!channel) return undefined;
  if (!channel.active) return "The channel is switched off. You can leave a private note.";
  if (chat.customer?.blocked) return "The customer is blocked. You can leave a private note.";
  const timeout = channel.settings.sending_policy?.after_reply_timeout;
  if (!timeout || chat.replyDeadline === undefined || chat.replyDeadline > Date.now()) return undefined;
  return timeout === "template"
    ? "The time to reply is over: only a template can be sent."
    : "The time to reply is over. You can leave a private note.";
}

/** What of the draft exceeds the channel's limits. */
export function draftFault({ text, note, files }: Draft, channel: Channel | undefined): string | undefined {
  if (note) return undefined;
  const length = [...text.trim()].length;
  const max = channel?.settings.text?.max_chars_count;
  if (max && length > max) return `The text has ${length} characters; this channel takes ${max}.`;
  if (length > 0 && files.length === 0 && !may(channel, "text", "creating")) return "This channel takes no texts.";
  return undefined;
}

export const suggestionKinds = (channel: Channel | undefined): SuggestionType[] =>
  (["text", "phone", "email", "url"] as const).filter((kind) => allows(channel?.settings.suggestions?.[kind]));

/** One quick reply per line; a prefix `phone:`, `email:` or `url:` sets its type. */
function suggestionsIn(text: string): Suggestion[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter(Boolean).map((line): Suggestion => {
    const found = /^(phone|email|url):(.*)$/.exec(line);
    if (!found) return { type: "text", title: line };
    const rest = (found[2] ?? "").trim();
    if (found[1] !== "url") return { type: found[1] as SuggestionType, title: rest };
    const [address, ...words] = rest.split(" ");
    return { type: "url", title: words.join(" ") || rest, payload: address };
  });
}

/** The draft as messages: files grouped by type and the channel's limit, the text with the first. */
export function postsOf(draft: Draft, channel: Channel | undefined): Post[] {
  const text = draft.text.trim();
  const groups = groupsOf(draft.files, channel, draft.note);
  const [first] = groups;
  const posts: Post[] = [];
  const carries = first && (draft.note || takesNote(first.type, text, channel));
  if (text && !carries) posts.push({ body: { type: "text", content: text }, words: text, files: [] });
  for (const { type, files } of groups) {
    const note = carries && files === first.files && text ? { note: text } : {};
    const items = files.map(({ id }) => ({ id }));
    posts.push({ body: { type, items, ...note }, words: "note" in note ? text : "", files });
  }
  const suggestions = draft.note ? [] : suggestionsIn(draft.suggestions);
  for (const { body } of posts) body.scope = draft.note ? "private" : "public";
  if (posts[0] && draft.quote) posts[0].body.quote_message_id = draft.quote.id;
  const last = posts.at(-1);
  if (last && suggestions.length > 0) last.body.transport_attachments = { suggestions };
  return posts;
}

interface Group {
  type: "image" | "audio" | "file";
  files: KeptFile[];
}

function groupsOf(files: KeptFile[], channel: Channel | undefined, note: boolean): Group[] {
  const groups: Group[] = [];
  for (const file of files) {
    const type = fileTypeIn(channel, file.kind, note);
    const last = groups.at(-1);
    const max = channel?.settings[type]?.max_items_count || (type === "audio" ? 1 : Number.POSITIVE_INFINITY);
    if (last?.type === type && (note || last.files.length < max)) last.files.push(file);
    else groups.push({ type, files: [file] });
  }
  return groups;
}

function takesNote(type: Group["type"], text: string, channel: Channel | undefined): boolean {
  if (type === "audio") return false;
  const max = channel?.settings[type]?.note_max_chars_count;
  return !max || [...text].length <= max;
}
