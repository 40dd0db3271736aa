import type { Channel, UnsurePolicy } from "../domain/channel.ts";
import type { AccountId, ChannelId, GatewayChannelId } from "../domain/ids.ts";
import type { OpenFile } from "../domain/message.ts";
import type { Uploader } from "../domain/overload.ts";
import type { Act } from "./audit.ts";

export interface ChannelDraft {
  kind: string;
  name: string;
  settings: unknown;
  unsure?: UnsurePolicy;
}

/** Channels of accounts. Every question that starts at a person names the account too; `by` says whose act it is. */
export interface ChannelStore {
  add(accountId: AccountId, draft: ChannelDraft, by?: Act): Promise<Channel>;
  /** Undefined when the account has no such channel, or it was removed. */
  byId(accountId: AccountId, id: ChannelId): Promise<Channel | undefined>;
  /** For the relay, whose job names the channel. */
  ofJob(id: ChannelId): Promise<Channel | undefined>;
  byDoor(door: string): Promise<Channel | undefined>;
  byGatewayId(accountId: AccountId, id: GatewayChannelId): Promise<Channel | undefined>;
  list(accountId: AccountId): Promise<Channel[]>;
  change(id: ChannelId, draft: Pick<ChannelDraft, "name" | "settings" | "unsure">, by?: Act): Promise<void>;
  setGateway(id: ChannelId, gateway: { id: GatewayChannelId; announced: string }): Promise<void>;
  /** False when another channel, of whatever account, has this login at the messenger already. */
  claim(id: ChannelId, identity: string): Promise<boolean>;
  /** What is wrong with a channel that goes on all the same; undefined when it is mended. */
  setTrouble(id: ChannelId, trouble: string | undefined, epoch?: number): Promise<void>;
  /** Channels whose users have not been told of their trouble, or of its end. */
  untold(most: number): Promise<Channel[]>;
  setTold(id: ChannelId, trouble: string | undefined): Promise<void>;
  /** `stopped` rests the channel's outbound lanes, `active` lets them run again, `removed` ends its jobs and forgets its secrets, for good. */
  setState(id: ChannelId, state: Channel["state"], trouble?: string, how?: Change): Promise<void>;
}

export interface Change {
  by?: Act;
  /** Only what was so when the channel was read is changed: new credentials do not die with the old. */
  epoch?: number;
}

/** Of a kind of messenger: the secrets among its settings. */
export type SecretSettings = (kind: string, settings: unknown) => string[];

// What the sessions of a channel keep: notes, a journal, files.

/** A small text by its key; an empty value stands for none. */
export interface Note {
  key: string;
  value: string;
}

/** What the sessions of channels have to remember. */
export interface NoteStore {
  get(channelId: ChannelId, key: string): Promise<string | undefined>;
  set(channelId: ChannelId, lines: Note[]): Promise<void>;
}

export interface NewJournalRow {
  chat: string;
  key: string;
  entry: unknown;
}

export interface JournalRow {
  position: number;
  at: number;
  entry: unknown;
}

/** How much is read at once; `bytes` of the stored JSON. */
export interface JournalPortion {
  entries: number;
  bytes: number;
}

/** A durable, ordered log per chat, for messengers that this server hosts itself. */
export interface JournalStore {
  /** A line whose key is known for the channel is ignored. */
  append(channelId: ChannelId, lines: NewJournalRow[]): Promise<void>;
  /** As many as fit, at least one if there is any. */
  after(channelId: ChannelId, chat: string, position: number, most: JournalPortion): Promise<JournalRow[]>;
  /** The same from the end, or from before a position; oldest first. */
  latest(channelId: ChannelId, chat: string, most: JournalPortion, before?: number): Promise<JournalRow[]>;
  /** Lines whose key is this one, or begins with it and a colon; oldest first. */
  under(channelId: ChannelId, chat: string, key: string): Promise<JournalRow[]>;
}

export interface KeptFileStore {
  /**
   * Resolves once bytes and row are on the disk; `tooLarge()` is thrown past `maxBytes`. Throws Overload, before it reads
   * anything, when channel or disk have no room for who brings it.
   */
  keep(
    channelId: ChannelId,
    file: OpenFile,
    maxBytes: number,
    tooLarge: () => Error,
    uploader?: Uploader,
  ): Promise<{ id: string; size: number }>;
  open(channelId: ChannelId, id: string): Promise<OpenFile | undefined>;
}
