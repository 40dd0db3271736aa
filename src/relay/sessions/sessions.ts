import { setMaxListeners } from "node:events";
import { FileTooLarge, isHosted } from "../../channels/hosted.ts";
import type { ChannelAdapter, ChannelSession, Note, ServerOptions } from "../../channels/port.ts";
import type { Account } from "../../domain/account.ts";
import type { Call } from "../../domain/call.ts";
import type { Channel, Features } from "../../domain/channel.ts";
import type { Clock } from "../../domain/clock.ts";
import { before, DeliveryError } from "../../domain/delivery.ts";
import type { ChannelId, GatewayFileId } from "../../domain/ids.ts";
import { FORMATS, type Markup, type Writing } from "../../domain/markup.ts";
import type { GatewayFile } from "../../domain/message.ts";
import type { Capabilities } from "../../domain/plan.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { Store } from "../../store/store.ts";
import type { Journals } from "./journals.ts";
import { createStreams } from "./streams.ts";

/** The open sessions of channels: made on demand, made anew when the channel has changed. */
export interface Sessions {
  byDoor(door: string): Promise<OpenChannel | undefined>;
  /** Throws when the kind is unknown or the stored settings no longer fit its schema. */
  of(channel: Channel): ChannelSession;
  /** The same in passing: where none is open, it is not kept, so that ten thousand channels that only wait cost no memory. */
  inPassing(channel: Channel): ChannelSession;
  /** What the network takes, as the channel is set. Throws as `of` does. */
  capabilitiesOf(channel: Channel): Capabilities;
  adapter(kind: string): ChannelAdapter | undefined;
  /** What the gateway is told that the channel can do. Throws as `of` does. */
  featuresOf(channel: Channel): Features;
  /** How the channel's texts are written at the gateway: in the server's notation where its messenger has formatting. Throws as `of` does. */
  writingOf(channel: Channel): Writing;
  /** A file of the channel's account. What goes wrong says nothing about the messenger, to which nothing has left yet. */
  gatewayFile(channel: Channel, id: GatewayFileId, signal: AbortSignal): Promise<GatewayFile>;
  forget(id: ChannelId): void;
}

export interface OpenChannel {
  channel: Channel;
  adapter: ChannelAdapter;
  session: ChannelSession;
}

interface Parts {
  adapters: ChannelAdapter[];
  store: Pick<Store, "channels" | "accounts" | "keptFiles" | "notes">;
  journals: Journals;
  call: Call;
  clock: Clock;
  publicUrl: string;
  /** The notation of formatting at the gateway. */
  markup: Markup;
  /** How the operator has set a kind of messenger up. */
  serverOptions(kind: string): ServerOptions;
  gatewayOf(account: Account): Gateway;
}

interface Open {
  epoch: number;
  adapter: ChannelAdapter;
  settings: unknown;
  session: ChannelSession;
  capabilities: Capabilities;
  closing: AbortController;
}

export function createSessions(parts: Parts): Sessions {
  const adapters = new Map(parts.adapters.map((adapter) => [adapter.kind, adapter]));
  const open = new Map<ChannelId, Open>();

  const streamsOf = createStreams();

  const openNew = (channel: Channel) => {
    const adapter = adapters.get(channel.kind);
    if (!adapter) throw new DeliveryError({ type: "reconnect" }, `there is no messenger of the kind "${channel.kind}"`);
    const closing = new AbortController();
    // Every stream of the channel adds a listener; Node 20 warns at the eleventh.
    setMaxListeners(0, closing.signal);
    return { adapter, closing, session: openSession({ ...parts, streamsOf }, adapter, channel, closing.signal) };
  };
  const knownOf = ({ id, epoch }: Channel) => {
    const known = open.get(id);
    return known?.epoch === epoch ? known : undefined;
  };
  const openOf = (channel: Channel) => {
    const same = knownOf(channel);
    if (same) return same;
    const { adapter, session, closing } = openNew(channel);
    const settings = adapter.settings.parse(channel.settings);
    const opened = {
      epoch: channel.epoch,
      adapter,
      settings,
      session,
      capabilities: adapter.capabilities(settings),
      closing,
    };
    // Who still holds the channel as it was must not bring its old credentials back.
    const known = open.get(channel.id);
    if (known && known.epoch >= channel.epoch) {
      // It is not kept, so nobody could end its streams later.
      closing.abort();
      return opened;
    }
    open.set(channel.id, opened);
    known?.closing.abort();
    return opened;
  };
  const of = (channel: Channel) => openOf(channel).session;

  const featuresOf = (channel: Channel): Features => {
    const { capabilities, adapter, settings } = openOf(channel);
    const features = adapter.features(settings);
    const formats = capabilities.marks && parts.markup !== "none" ? FORMATS : undefined;
    return { ...features, text: { ...features.text, formats } };
  };

  return {
    of,
    inPassing: (channel) => (knownOf(channel) ?? openNew(channel)).session,
    capabilitiesOf: (channel) => openOf(channel).capabilities,
    adapter: (kind) => adapters.get(kind),
    featuresOf,
    writingOf(channel) {
      const { text, image } = featuresOf(channel);
      return {
        markup: text.formats ? parts.markup : "none",
        text: text.maxLength,
        note: image?.maxNote ?? text.maxLength,
      };
    },
    gatewayFile: (...asked) => gatewayFile(parts, ...asked),
    forget(id) {
      open.get(id)?.closing.abort();
      open.delete(id);
    },
    async byDoor(door) {
      const channel = await parts.store.channels.byDoor(door);
      const adapter = channel && adapters.get(channel.kind);
      return channel && adapter && { channel, adapter, session: of(channel) };
    },
  };
}

function openSession(
  parts: Parts & { streamsOf: ReturnType<typeof createStreams> },
  adapter: ChannelAdapter,
  channel: Channel,
  closed: AbortSignal,
): ChannelSession {
  const { store } = parts;
  const context = {
    channelId: channel.id,
    name: channel.name,
    doorUrl: `${parts.publicUrl}/m/${channel.door}`,
    settings: adapter.settings.parse(channel.settings),
    server: parts.serverOptions(channel.kind),
    call: parts.call,
    clock: parts.clock,
    notes: {
      get: (key: string) => store.notes.get(channel.id, key),
      set: (notes: Note[]) => store.notes.set(channel.id, notes),
    },
    closed,
    gatewayFile: (id: GatewayFileId, signal: AbortSignal) => gatewayFile(parts, channel, id, signal),
  };
  if (!isHosted(adapter)) return adapter.open(context);
  return adapter.open({
    ...context,
    journal: parts.journals.of(channel.id),
    keptFiles: {
      keep: (file, maxBytes, bringer) =>
        store.keptFiles.keep(channel.id, file, maxBytes, () => new FileTooLarge(maxBytes), bringer),
      open: (id) => store.keptFiles.open(channel.id, id),
    },
    streams: parts.streamsOf(channel.id),
  });
}

async function gatewayFile(
  { store, gatewayOf }: Parts,
  { accountId }: Channel,
  id: GatewayFileId,
  signal: AbortSignal,
): Promise<GatewayFile> {
  const asked = before(async () => {
    const account = await store.accounts.byId(accountId);
    if (!account) throw new DeliveryError({ type: "reject", code: "general" }, "the account is gone");
    return gatewayOf(account).file(id, signal);
  });
  const file = await asked.catch(blameGateway);
  return { ...file, open: (within) => file.open(within).catch(blameGateway) };
}

/** A fetch may be repeated, and the gateway's refusal of our token says nothing about the messenger's. */
function blameGateway(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  const told = error.verdict.type === "reject" ? error : new DeliveryError({ type: "retry" }, error.message);
  told.elsewhere = true;
  throw told;
}
