import type { FoundMessage } from "../../store/messages.ts";
import type { Store } from "../../store/store.ts";

/** How many messages a search for words reads at once. */
export const MAX_SEARCHED = 20_000;

/** The message that a number names before those that contain it. */
export const exactFirst = <M extends { id: number }>(found: M[], text: string): M[] =>
  found.toSorted((one, other) => Number(String(other.id) === text.trim()) - Number(String(one.id) === text.trim()));

/** With the addresses and names of what it belongs to; of what was removed, its id. */
export type Placed<Message> = Message & { crmUrl: string; channelName: string };

/** For the vendor: messages of whichever accounts. */
export async function placed<M extends Pick<FoundMessage, "accountId" | "channelId">>(
  store: Pick<Store, "stories">,
  messages: M[],
): Promise<Placed<M>[]> {
  const names = await store.stories.namesOf([...new Set(messages.map(({ channelId }) => channelId))]);
  const byChannel = new Map(names.map((each) => [each.channelId, each]));
  return messages.map((message) => {
    const { name, crmUrl } = byChannel.get(message.channelId) ?? {};
    return { ...message, crmUrl: crmUrl ?? message.accountId, channelName: name ?? message.channelId };
  });
}
