import { setMaxListeners } from "node:events";
import { FileTooLarge, isHosted, type Streams } from "../../channels/hosted.ts";
import type { ChannelAdapter, ChannelSession, Note, ServerOptions } from "../../channels/port.ts";
import type { Account } from "../../domain/account/account.ts";
import type { Call } from "../../domain/call/call.ts";
import type { Channel, Features } from "../../domain/channel/channel.ts";
import { beforeSending, DeliveryError } from "../../domain/delivery/delivery.ts";
import type { Capabilities } from "../../domain/delivery/plan.ts";
import type { RawWebhook } from "../../domain/delivery/raw-webhook.ts";
import type { AccountId, ChannelId, GatewayFileId } from "../../domain/ids.ts";
import type { GatewayFile } from "../../domain/message/message.ts";
import { FORMATS, type Markup, type Writing } from "../../domain/text/markup.ts";
import type { Clock } from "../../domain/time/clock.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { Store } from "../../store/store.ts";
import type { Journals } from "./journals.ts";

/** Open sessions of channels: created on demand, and recreated when the channel changes. */
export interface Sessions {
  byDoor(door: string): Promise<OpenChannel | undefined>;
  /** Throws if the kind is unknown, or if the stored settings no longer fit its schema. */
  of(channel: Channel): ChannelSession;
  /** The open session, or a temporary one that is not kept: ten thousand waiting channels cost no memory. */
  peek(channel: Channel): ChannelSession;
  /** The messenger's capabilities under the channel's settings. Throws as `of`. */
  capabilitiesOf(channel: Channel): Capabilities;
  adapter(kind: string): ChannelAdapter | undefined;
  /** The features to announce to the gateway. Throws as `of`. */
  featuresOf(channel: Channel): Features;
  /** How texts are written at the gateway: in the server's notation if the messenger has formatting. Throws as `of`. */
  writingOf(channel: Channel): Writing;
  /** A stored request as it came to the channel's door; `proven`: with what authenticates it anew. Throws as `of`. */
  requestFor(channel: Channel, raw: RawWebhook, proven?: "proven"): Request;
  /** A file of the channel's account. Its failures are not the messenger's: nothing was sent there yet. */
  gatewayFile(channel: Channel, id: GatewayFileId, signal: AbortSignal): Promise<GatewayFile>;
  evict(id: ChannelId): void;
  /** Accounts with open sessions. */
  accounts(): Set<AccountId>;
  /** Ends those of an account that are of no channel in this list, or of a channel before it has changed. */
  keepOnly(account: AccountId, channels: Channel[]): void;
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
  markup: Markup;
  streamsOf(channel: ChannelId): Streams;
  serverOptions(kind: string): ServerOptions;
  gatewayOf(account: Account): Gateway;
}

interface Open {
  account: AccountId;
  epoch: number;
  session: ChannelSession;
  adapter: ChannelAdapter;
  settings: unknown;
  capabilities: Capabilities;
  /** Made when first asked for, then kept: features cost time to make, and memory to keep. */
  writing?: Writing;
  closing: AbortController;
}

export function createSessions(parts: Parts): Sessions {
  const adapters = new Map(parts.adapters.map((adapter) => [adapter.kind, adapter]));
  const open = new Map<ChannelId, Open>();

  const adapterOf = ({ kind }: Channel) => {
    const adapter = adapters.get(kind);
    if (!adapter) throw new DeliveryError({ type: "reconnect" }, `there is no messenger of the kind "${kind}"`);
    return adapter;
  };
  const openNew = (channel: Channel) => {
    const adapter = adapterOf(channel);
    const closing = new AbortController();
    // Every stream adds a listener; Node warns at the eleventh.
    setMaxListeners(0, closing.signal);
    const settings = adapter.settings.parse(channel.settings);
    return { adapter, settings, closing, session: openSession(parts, adapter, channel, settings, closing.signal) };
  };
  const currentOf = ({ id, epoch }: Channel) => {
    const known = open.get(id);
    return known?.epoch === epoch ? known : undefined;
  };
  const openOf = (channel: Channel) => {
    const same = currentOf(channel);
    if (same) return same;
    const made = openNew(channel);
    const { adapter, settings, closing } = made;
    const opened: Open = {
      account: channel.accountId,
      epoch: channel.epoch,
      ...made,
      capabilities: adapter.capabilities(settings),
    };
    // A caller with an outdated channel must not restore its old credentials.
    const known = open.get(channel.id);
    if (known && known.epoch >= channel.epoch) {
      // Not kept: nothing else would end its streams.
      closing.abort();
      return opened;
    }
    open.set(channel.id, opened);
    known?.closing.abort();
    return opened;
  };
  const of = (channel: Channel) => openOf(channel).session;
  const evict = (id: ChannelId) => {
    open.get(id)?.closing.abort();
    open.delete(id);
  };

  return {
    of,
    peek: (channel) => (currentOf(channel) ?? openNew(channel)).session,
    capabilitiesOf: (channel) => openOf(channel).capabilities,
    adapter: (kind) => adapters.get(kind),
    featuresOf(channel) {
      // Opens no session: at the start this runs for every channel.
      const adapter = adapterOf(channel);
      const settings = adapter.settings.parse(channel.settings);
      const features = adapter.features(settings);
      const formats = formatsFor(adapter.capabilities(settings), parts.markup);
      return { ...features, text: { ...features.text, formats } };
    },
    writingOf(channel) {
      const opened = openOf(channel);
      opened.writing ??= writingOf(opened, parts.markup);
      return opened.writing;
    },
    requestFor(channel, raw, proven) {
      const { adapter, settings } = openOf(channel);
      const server = parts.serverOptions(channel.kind);
      const proof = proven && adapter.proof?.(settings, raw.body, server);
      const path = raw.path && !raw.path.startsWith("?") ? `/${raw.path}` : raw.path;
      return new Request(`${parts.publicUrl}/m/${channel.door}${path}`, {
        ...{ method: "POST", headers: { ...raw.headers, ...proof }, body: raw.body },
      });
    },
    gatewayFile: (...asked) => gatewayFile(parts, ...asked),
    evict,
    accounts: () => new Set([...open.values()].map(({ account }) => account)),
    keepOnly(account, channels) {
      const epochs = new Map(channels.map(({ id, epoch }) => [id, epoch]));
      for (const [id, opened] of open)
        if (opened.account === account && opened.epoch < (epochs.get(id) ?? Number.POSITIVE_INFINITY)) evict(id);
    },
    async byDoor(door) {
      const channel = await parts.store.channels.byDoor(door);
      const adapter = channel && adapters.get(channel.kind);
      return channel && adapter && { channel, adapter, session: of(channel) };
    },
  };
}

const formatsFor = ({ marks, formats = FORMATS }: Capabilities, markup: Markup) =>
  marks && markup !== "none" ? formats : undefined;

function writingOf({ adapter, settings, capabilities }: Open, markup: Markup): Writing {
  const { text, image } = adapter.features(settings);
  return {
    markup: formatsFor(capabilities, markup) ? markup : "none",
    text: text.maxLength,
    note: image?.maxNote ?? text.maxLength,
  };
}

function openSession(
  parts: Parts,
  adapter: ChannelAdapter,
  channel: Channel,
  settings: unknown,
  closed: AbortSignal,
): ChannelSession {
  const { store } = parts;
  const context = {
    channelId: channel.id,
    name: channel.name,
    doorUrl: `${parts.publicUrl}/m/${channel.door}`,
    settings,
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
      keep: (file, maxBytes, of) =>
        store.keptFiles.keep(channel.id, file, maxBytes, () => new FileTooLarge(maxBytes), of),
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
  const asked = beforeSending(async () => {
    const account = await store.accounts.byId(accountId);
    if (!account) throw new DeliveryError({ type: "reject", code: "general" }, "the account is gone");
    return gatewayOf(account).file(id, signal);
  });
  const file = await asked.catch(blameGateway);
  return { ...file, open: (within) => file.open(within).catch(blameGateway) };
}

/** A fetch may be repeated; the gateway's refusal of our token is not the messenger's. */
function blameGateway(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  const blamed = error.verdict.type === "reject" ? error : new DeliveryError({ type: "retry" }, error.message);
  blamed.fromOtherSide = true;
  throw blamed;
}
