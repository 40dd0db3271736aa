import type { Clock } from "gangway-messenger/clock";
import { serialByKey } from "gangway-messenger/concurrency";
import type { Explain } from "gangway-messenger/explanations";
import type { Language } from "gangway-messenger/language";
import type { Account } from "../../domain/account.ts";
import { sentence } from "../../domain/explanations.ts";
import type { AccountId, JobId } from "../../domain/ids.ts";
import type { FoundMessage, Story } from "../../store/messages.ts";
import type { Store } from "../../store/store.ts";

/** Finds an account's messages and tells each one's history. */
export interface MessageStories {
  /** Also matches error texts in this language. */
  find(account: Account, text: string, language: Language): Promise<Named<FoundMessage>[]>;
  /** Errors are explained in this language. Undefined if the account has no such message. */
  of(account: Account, id: JobId, language: Language): Promise<(Named<Story> & { window?: Window }) | undefined>;
}
/** Period in which agents may answer in the message's chat; `until` in ms. */
interface Window {
  until: number;
  isOpen: boolean;
}
/** `channelName` is empty if the channel was removed. */
type Named<Message> = Message & { channelName: string };

export interface StoryParts {
  store: Pick<Store, "channels" | "stories">;
  explain: Explain;
  clock: Pick<Clock, "now">;
}

const windowOf = ({ replyUntil: until }: Story, clock: StoryParts["clock"]): Window | undefined =>
  until === undefined ? undefined : { until, isOpen: clock.now() <= until };

export function createStories({ store, explain, clock }: StoryParts): MessageStories {
  // A search reads every message: run one per account at a time.
  const oneByOne = serialByKey<AccountId>();
  const names = async ({ id }: Account) =>
    new Map<string, string>((await store.channels.list(id)).map((channel) => [channel.id, channel.name]));
  return {
    async find(account, text, language) {
      if (text.trim() === "") return [];
      const found = await oneByOne(account.id, () =>
        store.stories.find(account.id, text, (error) => sentence(explain(error, language))),
      );
      const nameOf = await names(account);
      return found.map((each) => ({ ...each, channelName: nameOf.get(each.channelId) ?? "" }));
    },
    async of(account, id, language) {
      const story = await store.stories.of(account.id, id);
      if (!story) return undefined;
      const inWords = (text: string | undefined) => text && explain(text, language);
      const all = (tries: Story["tries"]) => tries.map(({ at, error }) => ({ at, error: explain(error, language) }));
      return {
        ...story,
        window: windowOf(story, clock),
        channelName: (await names(account)).get(story.channelId) ?? "",
        error: inWords(story.error),
        tries: all(story.tries),
        later: story.later.map((event) => ({ ...event, error: inWords(event.error) })),
        ack: story.ack && { ...story.ack, error: inWords(story.ack.error), tries: all(story.ack.tries) },
      };
    },
  };
}
