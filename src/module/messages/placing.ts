import type { FoundMessage } from "../../store/messages.ts";
import type { Store } from "../../store/store.ts";

/** Messages that one text search reads. */
export const MAX_SEARCHED = 20_000;

/** Puts the message whose id equals the text before those that contain the text. */
export const exactFirst = <M extends { id: number }>(found: M[], text: string): M[] =>
  found.toSorted((one, other) => Number(String(other.id) === text.trim()) - Number(String(one.id) === text.trim()));

/** A message with its CRM address and channel name, or the ids of removed ones. */
export type Placed<Message> = Message & { crmUrl: string; channelName: string };

/** For the vendor: adds the names for messages of any account. */
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
