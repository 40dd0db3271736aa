import { readBack, stayOnline } from "./connection.ts";
import { newUuid } from "./drafts.ts";
import { type ShownMessage, shownDraft } from "./history.ts";
import { isOf, postDrafts } from "./outbox.ts";
import { type Draft, type Opened, type ShownFile, visitorIn } from "./protocol.ts";
import { createReadMarks } from "./read-marks.ts";
import type { Progress } from "./server.ts";
import { type ChatState, createState, leaveChat, type Parts, showOnly, withChatErrors } from "./state.ts";

export interface Chat {
  opened(): Opened | undefined;
  /** `closed`: the chat does not exist; `elsewhere`: not allowed on this site. Neither accepts messages. */
  state(): "opening" | "online" | "offline" | "busy" | "closed" | "elsewhere";
  isClosed(): boolean;
  /** Oldest first; unsent messages at the end. */
  messages(): ShownMessage[];
  find(id: string): ShownMessage | undefined;
  unread(): ShownMessage[];
  say(text: string, files: ShownFile[], more?: Pick<Draft, "quote" | "answers">): void;
  retry(id: string): void;
  discard(id: string): void;
  /** Rejects with Refused, or with another error if the server is unreachable. */
  upload(file: Blob, name: string, signal: AbortSignal, sent?: Progress): Promise<ShownFile>;
  hasOlder(): boolean;
  /** Loads older messages; resolves with their number. Rejects as the server does. */
  readBack(): Promise<number>;
  markRead(): void;
  /** Reconnects at once, for example when the network is back. */
  wake(): void;
  /** Closes the stream until `wake`: all tabs together have few connections to a server. */
  rest(): void;
  /** Starts anew: the visitor is the shop's own customer now. */
  reopen(): void;
  /** Rejects as the server does. */
  erase(): Promise<void>;
  leave(): void;
}

/** The conversation: messages from the server, and drafts that it does not have yet. */
export function startChat(parts: Parts): Chat {
  const { server, memory, changed } = parts;
  const state = createState(memory);
  const { history, drafts, backoff } = state;
  const readMarks = createReadMarks(memory, (id) => {
    const visitor = state.opened?.visitor ?? "";
    return withChatErrors(parts, state, server.read(visitor, id), visitor);
  });
  const post = () => void postDrafts(parts, state);
  const token = () => state.opened?.visitor ?? (state.reopening ? undefined : (memory.get("visitor") ?? undefined));
  const draftOf = (id: string) => drafts.all().find((draft) => id.includes(draft.id));
  let reading: Promise<number> | undefined;
  void stayOnline(parts, state);
  return {
    opened: () => state.opened,
    state: () => state.closed ?? state.stuck ?? (state.online ? "online" : (state.down ?? "opening")),
    isClosed: () => state.closed !== undefined,
    messages: () => allMessages(state, token()),
    find: history.find,
    unread: () => readMarks.unread(history.messages()),
    say(text, files, more) {
      const at = drafts.time(Date.now());
      const visitor = state.opened && visitorIn(state.opened.visitor);
      drafts.put({ id: newUuid(), visitor, text: text || undefined, files, ...more, ...parts.visit(), at });
      parts.said?.(text);
      changed();
      post();
    },
    retry(id) {
      const draft = draftOf(id);
      if (draft) drafts.put({ ...draft, refused: undefined });
      changed();
      post();
    },
    discard(id) {
      const draft = draftOf(id);
      if (draft) drafts.drop(draft.id);
      changed();
    },
    upload(file, name, signal, sent) {
      const visitor = state.opened?.visitor;
      if (!visitor) return Promise.reject(new Error("the chat is not open yet"));
      return withChatErrors(parts, state, server.upload(visitor, file, name, signal, sent), visitor);
    },
    hasOlder: () => state.older !== undefined,
    readBack() {
      reading ??= readBack(parts, state).finally(() => {
        reading = undefined;
      });
      return reading;
    },
    markRead() {
      if (state.opened && !state.closed) void readMarks.read(history.messages);
    },
    wake() {
      state.resting = false;
      backoff.wake();
      state.postBackoff.wake();
      post();
    },
    rest() {
      state.resting = true;
      state.stream.abort();
    },
    reopen() {
      state.opened = undefined;
      state.reopening = true;
      showOnly(state, undefined);
      state.stream.abort();
      backoff.wake();
      changed();
    },
    async erase() {
      if (state.reopening) throw new Error("the chat is not open yet");
      const visitor = token();
      if (visitor) await server.erase(visitor);
    },
    leave: () => leaveChat(state),
  };
}

/** Hides a draft whose message has already arrived by the stream. */
function allMessages({ history, drafts }: ChatState, token: string | undefined): ShownMessage[] {
  const waiting = drafts
    .all()
    .filter((draft) => isOf(draft, token))
    .flatMap((draft) => shownDraft(token, draft));
  return [...history.messages(), ...waiting.filter(({ id }) => !history.find(id))];
}
