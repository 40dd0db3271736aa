import { at } from "gangway-messenger/kit/emulator/browser/dom";
import type { Api } from "./api.ts";
import { createAttachments, fileFault } from "./attachments.ts";
import type { Chats } from "./chats.ts";
import { type Draft, type Drafts, emptyDraft } from "./drafts.ts";
import { type Channel, type Chat, type Message, may } from "./model.ts";
import { previewOf } from "./names.ts";
import type { Outbox, Post } from "./outbox.ts";
import { draftFault, hindranceOf, postsOf, suggestionKinds } from "./posts.ts";

export interface ComposerParts {
  api: Api;
  chats: Chats;
  drafts: Drafts;
  outbox: Outbox;
  problem(error: unknown): void;
  drafted(chatId: number): void;
}
/** Message input, with a draft per chat. */
export interface Composer {
  show(chatId: number | undefined): void;
  /** The chat or its channel changed, and with it what may be written. */
  refresh(): void;
  quote(message: Message): void;
  focus(): void;
}

const NEAR_LIMIT = 0.8;
const SIGNS: Record<string, string> = { phone: "phone:", email: "email:", url: "url:" };

export function createComposer(parts: ComposerParts): Composer {
  const { api, chats, drafts, outbox, problem } = parts;
  const reply = at<HTMLTextAreaElement>("reply");
  const suggestions = at<HTMLTextAreaElement>("suggestions");
  const note = at<HTMLButtonElement>("note");
  let chatId: number | undefined;
  let quote: Draft["quote"];
  let sendWhenUploaded = false;

  const chat = (): Chat | undefined => chats.get(chatId);
  const channel = (): Channel | undefined => chats.channelOf(chat());
  const isNote = () => note.getAttribute("aria-pressed") === "true";
  const attachments = createAttachments({
    api,
    problem,
    faultOf: (kind, size) => fileFault(channel(), kind, size, isNote()),
    changed: () => {
      save();
      if (sendWhenUploaded && !attachments.busy()) send();
    },
    late: (id, file) => drafts.keep(id, { ...drafts.of(id), files: [...drafts.of(id).files, file] }),
  });
  const draft = (): Draft => ({
    text: reply.value,
    suggestions: suggestions.value,
    note: isNote(),
    quote,
    files: attachments.kept(),
  });
  const save = () => {
    if (chatId === undefined) return;
    const had = drafts.has(chatId);
    drafts.keep(chatId, draft());
    if (had !== drafts.has(chatId)) parts.drafted(chatId);
    showCount(reply.value, channel(), isNote());
  };
  const load = (kept: Draft) => {
    reply.value = kept.text;
    suggestions.value = kept.suggestions;
    note.setAttribute("aria-pressed", String(kept.note));
    setQuote(kept.quote);
    attachments.show(chatId ?? 0, kept.files);
    refresh();
  };
  const setQuote = (wanted: Draft["quote"]) => {
    quote = wanted;
    at("quote").hidden = !wanted;
    at("quote-author").textContent = wanted?.author ?? "";
    at("quote-text").textContent = wanted?.words ?? "";
  };
  const refresh = () => {
    const now = chat();
    if (now) offer(now, channel(), isNote());
    showCount(reply.value, channel(), isNote());
  };
  const fail = (id: number, left: Post[], written: Draft) => {
    const back = returned(left, written, id === chatId ? draft() : drafts.of(id));
    drafts.keep(id, back);
    if (id === chatId) load(back);
    parts.drafted(id);
  };
  const send = () => {
    const id = chatId;
    const written = draft();
    sendWhenUploaded = attachments.busy();
    if (id === undefined || sendWhenUploaded || (!written.text.trim() && written.files.length === 0)) return;
    const now = chat();
    const fault = (now && !written.note && hindranceOf(now, channel())) || draftFault(written, channel());
    if (fault) return problem(new Error(fault));
    problem(undefined);
    drafts.keep(id, emptyDraft());
    load({ ...emptyDraft(), note: written.note });
    parts.drafted(id);
    outbox.send(id, postsOf(written, channel()), (left) => fail(id, left, written)).catch(problem);
  };

  wire({ reply, suggestions, note, save, send, refresh, attach: attachments.add });
  at("quote-drop").addEventListener("click", () => {
    setQuote(undefined);
    save();
    reply.focus();
  });
  return {
    show(id) {
      chatId = id;
      sendWhenUploaded = false;
      at("composer").hidden = id === undefined;
      if (id !== undefined) load(drafts.of(id));
    },
    refresh,
    quote(message) {
      setQuote({ id: message.id, author: message.from?.name ?? "", words: previewOf(message) });
      save();
      reply.focus();
    },
    focus: () => reply.focus(),
  };
}

interface Wires {
  reply: HTMLTextAreaElement;
  suggestions: HTMLTextAreaElement;
  note: HTMLButtonElement;
  save(): void;
  send(): void;
  refresh(): void;
  attach(files: Iterable<File>): void;
}

function wire({ reply, suggestions, note, save, send, refresh, attach }: Wires): void {
  const form = at<HTMLFormElement>("composer");
  const input = at<HTMLInputElement>("attach");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
    reply.focus();
  });
  reply.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.altKey || event.isComposing) return;
    event.preventDefault();
    send();
  });
  reply.addEventListener("input", save);
  suggestions.addEventListener("input", save);
  reply.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    attach(files);
  });
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    attach([...(event.dataTransfer?.files ?? [])]);
  });
  input.addEventListener("change", () => {
    attach([...(input.files ?? [])]);
    input.value = "";
  });
  note.addEventListener("click", () => {
    note.setAttribute("aria-pressed", String(note.getAttribute("aria-pressed") !== "true"));
    save();
    refresh();
    reply.focus();
  });
}

function offer(chat: Chat, channel: Channel | undefined, note: boolean): void {
  const hindrance = hindranceOf(chat, channel);
  const shut = hindrance !== undefined && !note;
  const strip = at("hindrance");
  strip.hidden = !shut;
  strip.textContent = shut ? hindrance : "";
  at("composer").toggleAttribute("data-note", note);
  at<HTMLTextAreaElement>("reply").placeholder = note ? "A note for your colleagues only" : "Write to the customer";
  at<HTMLButtonElement>("send").disabled = shut;
  at("send-words").textContent = note ? "Add note" : "Send";
  const kinds = suggestionKinds(channel);
  at("quick").hidden = note || shut || kinds.length === 0;
  const signs = kinds.flatMap((kind) => SIGNS[kind] ?? []);
  const words = signs.length > 0 ? `; prefix ${signs.join(", ")}` : "";
  at<HTMLTextAreaElement>("suggestions").placeholder = `Quick replies, one per line${words}`;
  const files = (["image", "audio", "file"] as const).some((type) => may(channel, type, "creating"));
  at("attach-label").hidden = !note && (shut || !files);
  at("goods").hidden = shut || note || !(may(channel, "product", "creating") || may(channel, "order", "creating"));
}

function showCount(text: string, channel: Channel | undefined, note: boolean): void {
  const max = note ? undefined : channel?.settings.text?.max_chars_count;
  const length = max ? [...text.trim()].length : 0;
  const counter = at("counter");
  counter.hidden = !max || length < max * NEAR_LIMIT;
  counter.textContent = max ? `${length} / ${max}` : "";
  counter.toggleAttribute("data-over", max !== undefined && length > max);
}

/** Puts what was not posted back before later input. */
function returned(left: Post[], written: Draft, since: Draft): Draft {
  const words = left.map((post) => post.words);
  const join = (...texts: string[]) => texts.filter((text) => text.trim()).join("\n");
  return {
    text: join(...words, since.text),
    suggestions: join(written.suggestions, since.suggestions),
    note: written.note,
    quote: left.some(({ body }) => body.quote_message_id) ? written.quote : since.quote,
    files: [...left.flatMap((post) => post.files), ...since.files],
  };
}
