import type { JobId } from "../domain/ids.ts";
import { exactFirst, MAX_SEARCHED, placed } from "../module/messages/placing.ts";
import { stepsOf } from "../module/messages/steps.ts";
import type { FoundMessage, Search } from "../store/messages.ts";
import type { Store } from "../store/store.ts";
import { ACCOUNT_HELP, accountOf, noAccount } from "./account.ts";
import { type Answer, type Command, failed, UsageError } from "./command.ts";
import { countIn, idOf } from "./options.ts";
import { plain, table, when } from "./table.ts";

const TEXT = { text: { help: "include the text of the message" } };

export const messagesFind: Command = {
  words: "messages find",
  summary: "find messages of all accounts by anything that the log, a merchant or a messenger says of them",
  takes: { name: "what", needed: true },
  options: {
    account: { value: "id", help: `only this account, ${ACCOUNT_HELP}` },
    text: { help: "include how the messages begin, and who the customers are" },
    before: { value: "id", help: "only messages older than this one" },
    limit: { value: "number", help: `search words among so many messages (default ${MAX_SEARCHED})` },
  },
  run: (context, given) =>
    context.withStore(async (store) => {
      const [what = "", name] = [given.word, given.text("account")];
      const [older, rows] = [given.text("before"), countIn(given, "limit")];
      const before = older === undefined ? undefined : (idOf(older) as JobId);
      if (name !== undefined && (before ?? rows) !== undefined)
        throw new UsageError("--account searches all of its messages, without --before and --limit");
      const account = name === undefined ? undefined : await accountOf(store, name);
      if (name !== undefined && !account) return noAccount(name);
      const search = account
        ? { found: await store.stories.find(account.id, what) }
        : await store.stories.findAnywhere(what, { before, rows: rows ?? MAX_SEARCHED });
      return listed(store, { ...search, found: exactFirst(search.found, what) }, given.on("text"));
    }),
};

async function listed(store: Store, { found, reached }: Search, withText: boolean): Promise<Answer> {
  const searched = reached && { rows: reached.rows, since: when(reached.since), next: reached.next };
  const further = searched?.next
    ? [`Searched ${searched.rows} messages, since ${searched.since}. Further back: --before ${searched.next}`]
    : [];
  if (found.length === 0) {
    const none =
      further.length > 0 ? "None of these messages contains that." : "Nothing that this server keeps contains that.";
    return { ok: false, json: { messages: [], searched }, text: [none, ...further] };
  }
  const messages = (await placed(store, found)).map(({ words, customer, chat, crmUrl, channelName, ...message }) => ({
    ...message,
    at: when(message.at),
    account: crmUrl,
    channel: channelName,
    ...(withText && { customer, chat, words }),
  }));
  const rows = messages.map((each) => [
    ...[String(each.id), each.at, each.account, each.channel, each.direction, each.state],
    ...(withText ? [each.customer ?? "", each.words ?? ""] : []),
  ]);
  const names = ["id", "accepted", "account", "channel", "direction", "state", ...(withText ? ["customer", ""] : [])];
  const next = `What became of one: gangway messages show ${found[0]?.id}`;
  return { ok: true, json: { messages, searched }, text: [...table(names, rows), "", next, ...further] };
}

export const messagesShow: Command = {
  words: "messages show",
  summary: "tell what became of a message, step by step, without its text",
  takes: { name: "id", needed: true },
  options: TEXT,
  run: (context, given) =>
    context.withStore(async (store) => {
      const id = idOf(given.word ?? "") as FoundMessage["id"];
      const story = await store.stories.ofAny(id);
      if (!story) return failed(`This server keeps no message ${id}.`);
      const owner = story.accountId;
      const account = await store.accounts.byId(owner);
      const channel = (await store.channels.list(owner)).find((each) => each.id === story.channelId);
      const about = {
        id: String(story.id),
        account: account ? `${account.crmUrl} (${owner})` : owner,
        channel: channel ? `${channel.name} (${channel.kind} ${channel.id}, ${channel.state})` : story.channelId,
        direction: story.direction,
        state: story.state,
        ...(story.gatewayMessageId && { "id in the CRM": story.gatewayMessageId }),
        ...(story.messengerMessageId && { "id in the messenger": story.messengerMessageId }),
        ...(given.on("text") && { customer: story.customer ?? "", text: story.words ?? "" }),
      };
      const steps = stepsOf(story);
      return {
        ok: true,
        json: { message: { ...about, steps: steps.map(({ at, what }) => ({ at: when(at), what })) } },
        text: [
          ...Object.entries(about).map(([name, value]) => `${name}: ${plain(value)}`),
          ...["", ...steps.map(({ at, what }) => `${when(at)}  ${plain(what)}`)],
        ],
      };
    }),
};
