import { readBack, stayOnline } from "./connection.ts";
import { newUuid } from "./drafts.ts";
import { type Shown, shownDraft } from "./history.ts";
import { createMarks } from "./marks.ts";
import { postDrafts } from "./outbox.ts";
import type { Draft, Opened, ShownFile } from "./protocol.ts";
import { createTalk, heeding, type Parts, type Talk } from "./talk.ts";

export interface Chat {
  opened(): Opened | undefined;
  /** `closed`: there is no such chat; `elsewhere`: not on this site. Nothing is taken then. */
  state(): "opening" | "online" | "offline" | "busy" | "closed" | "elsewhere";
  isClosed(): boolean;
  /** Oldest first, what is not sent yet at the end. */
  messages(): Shown[];
  find(id: string): Shown | undefined;
  unread(): Shown[];
  say(text: string, files: ShownFile[], more?: Pick<Draft, "quote" | "answers">): void;
  retry(id: string): void;
  discard(id: string): void;
  /** Rejects with Refused, or with anything else when the server is out of reach. */
  upload(file: Blob, name: string, signal: AbortSignal): Promise<ShownFile>;
  /** Whether the server has older messages. */
  hasOlder(): boolean;
  /** Loads some of them; resolves with how many. Rejects as the server does. */
  readBack(): Promise<number>;
  markRead(): void;
  /** Tries again at once, for example when the network is back. */
  wake(): void;
  /** Lets go of the line until `wake`: browsers hold few lines to one server for all tabs together. */
  rest(): void;
  leave(): void;
}

/** The conversation: what the server has told, and what still has to reach it. */
export function startChat(parts: Parts): Chat {
  const { server, memory, changed } = parts;
  const talk = createTalk(memory);
  const { history, drafts, pause } = talk;
  const marks = createMarks(memory, (id) => heeding(parts, talk, server.read(talk.opened?.visitor ?? "", id)));
  const post = () => void postDrafts(parts, talk);
  const token = () => talk.opened?.visitor ?? memory.get("visitor") ?? undefined;
  const draftOf = (id: string) => drafts.all().find((draft) => id.includes(draft.id));
  let reading: Promise<number> | undefined;
  void stayOnline(parts, talk);
  return {
    opened: () => talk.opened,
    state: () => talk.closed ?? talk.stuck ?? (talk.online ? "online" : (talk.down ?? "opening")),
    isClosed: () => talk.closed !== undefined,
    messages: () => allMessages(talk, token()),
    find: history.find,
    unread: () => marks.unread(history.messages()),
    say(text, files, more) {
      const at = drafts.time(Date.now());
      drafts.put({ id: newUuid(), text: text || undefined, files, ...more, ...parts.visit(), at });
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
    upload: (file, name, signal) =>
      talk.opened
        ? heeding(parts, talk, server.upload(talk.opened.visitor, file, name, signal))
        : Promise.reject(new Error("the chat is not open yet")),
    hasOlder: () => talk.older !== undefined,
    readBack() {
      reading ??= readBack(parts, talk).finally(() => {
        reading = undefined;
      });
      return reading;
    },
    markRead() {
      if (talk.opened && !talk.closed) void marks.read(history.messages);
    },
    wake() {
      talk.resting = false;
      pause.wake();
      talk.postPause.wake();
      post();
    },
    rest() {
      talk.resting = true;
      talk.stream.abort();
    },
    leave() {
      talk.left = true;
      talk.stream.abort();
      pause.wake();
      talk.postPause.wake();
    },
  };
}

/** A draft whose message has come back by the journal is there twice for a moment. */
function allMessages({ history, drafts }: Talk, token: string | undefined): Shown[] {
  const waiting = drafts.all().flatMap((draft) => shownDraft(token, draft));
  return [...history.messages(), ...waiting.filter(({ id }) => !history.find(id))];
}
