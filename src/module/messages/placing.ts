import type { ChannelId } from "gangway-messenger/ids";
import type { FoundMessage } from "../../store/messages.ts";
import type { Store } from "../../store/store.ts";

/** With the addresses and names of what it belongs to; of what was removed, its id. */
export type Placed<Message> = Message & { crmUrl: string; channelName: string };

/** For the vendor: messages of whichever accounts. */
export async function placed<M extends Pick<FoundMessage, "accountId" | "channelId">>(
  store: Pick<Store, "accounts" | "channels">,
  messages: M[],
): Promise<Placed<M>[]> {
  const owners = new Map((await store.accounts.list()).map(({ id, crmUrl }) => [id, crmUrl]));
  const names = new Map<ChannelId, string>();
  for (const id of new Set(messages.map(({ accountId }) => accountId)))
    for (const channel of await store.channels.list(id)) names.set(channel.id, channel.name);
  return messages.map((message) => ({
    ...message,
    crmUrl: owners.get(message.accountId) ?? message.accountId,
    channelName: names.get(message.channelId) ?? message.channelId,
  }));
}
