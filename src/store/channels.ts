import type { Uploader } from "gangway-messenger/hosted";
import type { ChannelId } from "gangway-messenger/ids";
import type { OpenFile } from "gangway-messenger/message";
import type { Channel, UnsurePolicy } from "../domain/channel.ts";
import type { AccountId, GatewayChannelId } from "../domain/ids.ts";
import type { Act } from "./care.ts";

interface ChannelDraft {
  kind: string;
  name: string;
  settings: unknown;
  unsure?: UnsurePolicy;
  /** Set when the gateway already has the channel. */
  gatewayChannelId?: GatewayChannelId;
  /** Default: active. */
  state?: "paused" | "stopped";
  trouble?: string;
  /** Notes stored with the channel. */
  notes?: Note[];
}

/** Every query on behalf of a person names the account, too. `by` goes to the audit log. */
export interface ChannelStore {
  add(accountId: AccountId, draft: ChannelDraft, by?: Act): Promise<Channel>;
  /** Undefined when the account has no such channel or it was removed. */
  byId(accountId: AccountId, id: ChannelId): Promise<Channel | undefined>;
  /** Without an account: for callers that trust the id, such as the relay. */
  ofJob(id: ChannelId): Promise<Channel | undefined>;
  byDoor(door: string): Promise<Channel | undefined>;
  /** The channel, of any account, that has this login at the messenger (`Identity.id`). */
  byIdentity(identity: string): Promise<Channel | undefined>;
  byGatewayId(accountId: AccountId, id: GatewayChannelId): Promise<Channel | undefined>;
  /** Like `byGatewayId`, but also finds a removed channel. */
  onceAtGateway(accountId: AccountId, id: GatewayChannelId): Promise<ChannelId | undefined>;
  list(accountId: AccountId): Promise<Channel[]>;
  change(id: ChannelId, draft: Pick<ChannelDraft, "name" | "settings" | "unsure">, by?: Act): Promise<void>;
  setGateway(id: ChannelId, gateway: { id: GatewayChannelId; announced: string }): Promise<void>;
  /** False when another channel, of any account, holds this messenger login. A stopped channel loses it instead. */
  reserveIdentity(id: ChannelId, identity: string, link?: string): Promise<boolean>;
  setGroups(id: ChannelId, groups: string[]): Promise<void>;
  /** Channels, of any account, with a login in this group. */
  inGroup(group: string): Promise<Channel[]>;
  /** A trouble that does not stop the channel; undefined clears it. */
  setTrouble(id: ChannelId, trouble: string | undefined, epoch?: number): Promise<void>;
  /** Channels whose trouble, or its end, has not been reported to their users. */
  unreported(limit: number): Promise<Channel[]>;
  setReported(id: ChannelId, trouble: string | undefined): Promise<void>;
  /**
   * Calls `hear` after another process, and perhaps this one, has changed these accounts or their channels; undefined:
   * perhaps any, since a notice may have been missed. Never called where only one process writes.
   */
  onChanged(hear: (accountIds: AccountId[] | undefined) => void): void;
  /** `stopped` pauses outbound lanes, `active` resumes them; `removed` ends what waits or is held, erases secrets. */
  setState(id: ChannelId, state: Channel["state"], trouble?: string, how?: Change): Promise<void>;
  /**
   * The vendor pauses the channel for a reason. Without one the channel resumes in the state it would be in by now.
   * False when nothing changes, or the channel is removed.
   */
  setPause(id: ChannelId, reason: string | undefined, by: Act): Promise<boolean>;
}

export interface Change {
  by?: Act;
  /** Optimistic lock: does nothing if the channel has changed since, so old credentials cannot stop new ones. */
  epoch?: number;
}

/** Picks the secrets out of the settings of one kind of messenger. */
export type SecretSettings = (kind: string, settings: unknown) => string[];

// State of a channel's sessions: notes, a journal, files.

/** A small text by key; an empty value deletes it. */
export interface Note {
  key: string;
  value: string;
  /** `value` is a JSON object to merge, by key, into the stored one: requests are read concurrently. */
  merge?: true;
}

/** Key-value state of sessions. */
export interface NoteStore {
  get(channelId: ChannelId, key: string): Promise<string | undefined>;
  /** `about`: the chat that the notes are about, whatever their keys say. Notes about an erased chat are not stored. */
  set(channelId: ChannelId, notes: Note[], about?: string): Promise<void>;
}

export interface NewJournalRow {
  chat: string;
  key: string;
  /** The chat whose erasure deletes the row, if not `chat`. */
  of?: string;
  entry: unknown;
}

export interface JournalRow {
  position: number;
  at: number;
  entry: unknown;
}

/** Page size; `bytes` of stored JSON. */
export interface JournalLimits {
  entries: number;
  bytes: number;
}

export type JournalChat = [channelId: ChannelId, chat: string];

/**
 * A durable, ordered log per chat, for messengers that this server hosts itself. Rows of a chat are committed in the order of
 * their positions.
 */
export interface JournalStore {
  /** Skips rows whose key the channel already has. */
  append(channelId: ChannelId, rows: NewJournalRow[]): Promise<void>;
  /** As many as fit the limits, but at least one. */
  after(channelId: ChannelId, chat: string, position: number, limits: JournalLimits): Promise<JournalRow[]>;
  /** The newest ones, or the newest before a position; oldest first. */
  latest(channelId: ChannelId, chat: string, limits: JournalLimits, before?: number): Promise<JournalRow[]>;
  /** Rows whose key is `key` or starts with `<key>:`; oldest first. */
  under(channelId: ChannelId, chat: string, key: string, of?: string): Promise<JournalRow[]>;
  /**
   * Calls `hear` when another process has appended to one of the `watched` chats, at times without cause. Never called
   * where only one process writes.
   */
  follow(watched: () => JournalChat[], hear: (chat: JournalChat) => void): void;
}

interface FileOwner {
  /** Default: the agent. */
  uploader?: Uploader;
  chat?: string;
}

export interface KeptFileStore {
  /**
   * Resolves once bytes and row are on disk. Throws `tooLarge()` past `maxBytes`; throws Overload before reading when the
   * disk is full or the uploader's quota is used up. Keeps nothing if the chat was erased meanwhile.
   */
  keep(
    channelId: ChannelId,
    file: OpenFile,
    maxBytes: number,
    tooLarge: () => Error,
    of?: FileOwner,
  ): Promise<{ id: string; size: number }>;
  open(channelId: ChannelId, id: string): Promise<OpenFile | undefined>;
}
