import { DeliveryError } from "gangway-messenger/errors";
import type { Account } from "../../domain/account.ts";
import { CAME_FROM, type Channel } from "../../domain/channel.ts";
import { announcement } from "../../gateway/channels.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { Sessions } from "../../relay/sessions/sessions.ts";
import type { Store } from "../../store/store.ts";
import { readStanding } from "../health/standing-note.ts";

export interface AnnouncingParts {
  store: Pick<Store, "channels" | "notes">;
  sessions: Pick<Sessions, "adapter" | "featuresOf">;
  gatewayOf(account: Account): Gateway;
}

type Adapting = Pick<AnnouncingParts, "sessions"> & { store: Pick<Store, "notes"> };

/** Builds the channel's announcement and tells whether the gateway already has it. Throws DeliveryError. */
async function cardOf({ sessions, store }: Adapting, channel: Channel) {
  const { name, gatewayChannelId: id, announced: last } = channel;
  const { whatsapp } = (await readStanding(store.notes, channel.id)) ?? {};
  const features = { ...sessions.featuresOf(channel), ...(whatsapp && { whatsapp }) };
  const announced = announcement(name, features);
  return { card: { name, features }, announced, isKnown: Boolean(id) && last === announced };
}

/** Whether the channel is moving here and another module still serves it: only the move may announce or watch it. */
export const isArriving = async (notes: Pick<Store["notes"], "get">, { id, identity }: Channel): Promise<boolean> =>
  identity === undefined && (await notes.get(id, CAME_FROM)) !== undefined;

/** Throws DeliveryError. */
export const isAnnounced = async (parts: Adapting, channel: Channel): Promise<boolean> =>
  (await cardOf(parts, channel)).isKnown;

/** Sends the channel's data to the gateway if it changed. Throws DeliveryError. */
export async function announce(
  parts: AnnouncingParts,
  account: Account,
  channel: Channel,
  signal: AbortSignal,
): Promise<void> {
  const { card, announced, isKnown } = await cardOf(parts, channel);
  if (isKnown) return;
  const id = channel.gatewayChannelId;
  const gateway = parts.gatewayOf(account);
  if (id) {
    await gateway.updateChannel(id, card, signal);
    await parts.store.channels.setGateway(channel.id, { id, announced });
    return;
  }
  const made = (await activate(gateway, { ...card, externalId: channel.id }, signal)).id;
  try {
    await parts.store.channels.setGateway(channel.id, { id: made, announced });
  } catch (error) {
    await gateway.deactivateChannel(made, signal).catch(() => {});
    throw error;
  }
}

/** After a lost answer the channel may exist under an unknown id. Activating the same external id again returns it. */
async function activate(gateway: Gateway, card: Parameters<Gateway["activateChannel"]>[0], signal: AbortSignal) {
  try {
    return await gateway.activateChannel(card, signal);
  } catch (error) {
    if (!(error instanceof DeliveryError) || error.verdict.type !== "unsure" || signal.aborted) throw error;
    return gateway.activateChannel(card, signal);
  }
}
