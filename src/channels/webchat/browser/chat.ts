import { createDrafts, type Drafts, newUuid } from "./drafts.ts";
import { createHistory, entryOf, type History, type Shown, shownDraft } from "./history.ts";
import { createMarks } from "./marks.ts";
import type { Memory } from "./memory.ts";
import { createPause, type Pause } from "./pause.ts";
import { Busy, type Draft, type Entry, type Opened, Refused, type ShownFile } from "./protocol.ts";
import type { Server } from "./server.ts";

export interface Chat {
  opened(): Opened | undefined;
  /** `closed`: this page may not show the chat, or there is none. */
  state(): "opening" | "online" | "offline" | "busy" | "closed";
  /** Oldest first, what is not sent yet at the end. */
  messages(): Shown[];
  unread(): Shown[];
  say(text: string, files: ShownFile[], quote?: Draft["quote"]): void;
  retry(id: string): void;
  discard(id: string): void;
  /** Rejects with Refused, or with anything else when the server is out of reach. */
  upload(file: Blob, name: string, signal: AbortSignal): Promise<ShownFile>;
  markRead(): void;
  /** Tries again at once, for example when the network is back. */
  wake(): void;
  /** Lets go of the line until `wake`: browsers hold few lines to one server for all tabs together. */
  rest(): void;
  leave(): void;
}

interface Parts {
  server: Server;
  memory: Memory;
  /** Address of the page the visitor is on. */
  page(): string;
  /** Called after each change. */
  changed(): void;
}

interface Talk {
  history: History;
  drafts: Drafts;
  /** Between tries to reach the stream, and between tries to send. */
  pause: Pause;
  postPause: Pause;
  opened?: Opened;
  cursor: number;
  online: boolean;
  closed: boolean;
  resting: boolean;
  posting: boolean;
  /** The server has asked to wait. */
  busy: boolean;
  line: AbortController;
}

const GONE = [403, 404, 410];

/** The conversation: what the server has told, and what still has to reach it. */
export function startChat(parts: Parts): Chat {
  const { server, memory, changed } = parts;
  const talk: Talk = {
    history: createHistory(),
    drafts: createDrafts(memory),
    pause: createPause(),
    postPause: createPause(),
    cursor: 0,
    online: false,
    closed: false,
    resting: false,
    posting: false,
    busy: false,
    line: new AbortController(),
  };
  const { history, drafts, pause } = talk;
  const marks = createMarks(memory, (id) => server.read(talk.opened?.visitor ?? "", id));
  const post = () => void postDrafts(parts, talk);
  const token = () => talk.opened?.visitor ?? memory.get("visitor") ?? undefined;
  const draftOf = (id: string) => drafts.all().find((draft) => id.endsWith(draft.id));
  void stayOnline(parts, talk);
  return {
    opened: () => talk.opened,
    state: () =>
      talk.closed ? "closed" : talk.busy ? "busy" : talk.online ? "online" : talk.opened ? "offline" : "opening",
    messages: () => allMessages(talk, token()),
    unread: () => marks.unread(history.messages()),
    say(text, files, quote) {
      const at = drafts.time(Date.now());
      drafts.put({ id: newUuid(), text: text || undefined, files, quote, page: parts.page(), at });
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
        ? server.upload(talk.opened.visitor, file, name, signal)
        : Promise.reject(new Error("the chat is not open yet")),
    markRead() {
      if (talk.opened) void marks.read(history.messages);
    },
    wake() {
      talk.resting = false;
      pause.wake();
      talk.postPause.wake();
      post();
    },
    rest() {
      talk.resting = true;
      talk.line.abort();
    },
    leave() {
      talk.closed = true;
      talk.line.abort();
      pause.wake();
      talk.postPause.wake();
    },
  };
}

/** A draft whose message has come back by the journal is there twice for a moment. */
function allMessages({ history, drafts }: Talk, token: string | undefined): Shown[] {
  const stored = history.messages();
  const ids = new Set(stored.map((message) => message.id));
  return [...stored, ...drafts.all().map((draft) => shownDraft(token, draft))].filter(
    (message) => !(ids.has(message.id) && (message.status === "sending" || message.status === "refused")),
  );
}

/** Takes what the journal tells; a message of our own that is in it needs sending no more. */
function take({ history, drafts }: Talk, entry: Entry, position?: number): void {
  history.take(entry, position);
  if (entry.type === "message" && entry.from === "visitor") drafts.drop(entry.id.split(".")[1] ?? "");
}

async function enter({ server, memory, changed }: Parts, talk: Talk): Promise<Opened> {
  const opened = await server.open(memory.get("visitor"));
  if (opened.visitor !== memory.get("visitor")) talk.history.clear();
  memory.set("visitor", opened.visitor);
  talk.opened = opened;
  talk.cursor = opened.cursor;
  // Positions below the cursor, in order: all that comes by the line stands after them.
  for (const [n, entry] of opened.history.entries()) take(talk, entry, opened.cursor - opened.history.length + n + 1);
  changed();
  return opened;
}

const canEnter = (parts: Parts, talk: Talk): Promise<boolean> =>
  enter(parts, talk).then(
    () => true,
    () => false,
  );

async function stayOnline(parts: Parts, talk: Talk): Promise<void> {
  const { server, changed } = parts;
  while (!talk.closed) {
    let [atLeast, asked] = [0, false];
    try {
      const { visitor } = talk.opened ?? (await enter(parts, talk));
      void postDrafts(parts, talk);
      talk.line = new AbortController();
      await server.follow(visitor, talk.cursor, talk.line.signal, {
        open() {
          talk.online = true;
          talk.pause.reset();
          changed();
        },
        entry(entry, position) {
          talk.cursor = position;
          take(talk, entry, position);
          changed();
        },
      });
    } catch (error) {
      lost(talk, error);
      atLeast = error instanceof Busy ? error.afterMs : 0;
      // Where the server has no line left, the chat goes on by asking.
      if (error instanceof Busy && talk.opened) asked = await canEnter(parts, talk);
    }
    talk.online = asked;
    changed();
    do await talk.pause.wait(atLeast);
    while (talk.resting && !talk.closed);
  }
}

/** A token that is no longer known means to begin again; an unwelcome page means to end. */
function lost(talk: Talk, error: unknown): void {
  if (!(error instanceof Refused)) return;
  if (error.status === 401) talk.opened = undefined;
  if (GONE.includes(error.status)) talk.closed = true;
}

/** One after the other in the order they were written, each until the server has answered. */
async function postDrafts(parts: Parts, talk: Talk): Promise<void> {
  if (talk.posting) return;
  talk.posting = true;
  const pause = talk.postPause;
  const next = () => talk.drafts.all().find((draft) => !draft.refused);
  for (let draft = next(); draft && talk.opened && !talk.closed; draft = next()) {
    try {
      await postDraft(parts, talk, talk.opened.visitor, draft);
      pause.reset();
    } catch (error) {
      if (error instanceof Refused && error.status === 401) {
        talk.opened = undefined;
        talk.line.abort();
      } else if (error instanceof Refused) talk.drafts.put({ ...draft, refused: error.message });
      else await waitFor(parts, talk, error);
    }
    parts.changed();
  }
  talk.posting = false;
}

/** Says so while a busy server is given its time. */
async function waitFor({ changed }: Parts, talk: Talk, error: unknown): Promise<void> {
  talk.busy = error instanceof Busy;
  if (talk.busy) changed();
  await talk.postPause.wait(error instanceof Busy ? error.afterMs : 0);
  talk.busy = false;
}

async function postDraft({ server }: Parts, talk: Talk, visitor: string, draft: Draft): Promise<void> {
  await server.post(visitor, draft);
  // The line usually brings it first; where that is away, it is shown from here until it is back.
  take(talk, entryOf(visitor, draft));
}
