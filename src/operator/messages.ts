import { placed } from "../module/messages/placing.ts";
import { stepsOf } from "../module/messages/steps.ts";
import type { FoundMessage } from "../store/messages.ts";
import type { Store } from "../store/store.ts";
import { ACCOUNT_HELP, accountOf, noAccount } from "./account.ts";
import { type Answer, type Command, failed } from "./command.ts";
import { idOf } from "./options.ts";
import { plain, table, when } from "./table.ts";

const TEXT = { text: { help: "include the text of the message" } };

export const messagesFind: Command = {
  words: "messages find",
  summary: "find messages of all accounts by anything that the log, a merchant or a messenger says of them",
  takes: { name: "what", needed: true },
  options: {
    account: { value: "id", help: `only this account, ${ACCOUNT_HELP}` },
    text: { help: "include how the messages begin, and who the customers are" },
  },
  run: (context, given) =>
    context.withStore(async (store) => {
      const [what = "", name] = [given.word, given.text("account")];
      const account = name === undefined ? undefined : await accountOf(store, name);
      if (name !== undefined && !account) return noAccount(name);
      const found = account ? await store.stories.find(account.id, what) : await store.stories.findAnywhere(what);
      return listed(store, found, given.on("text"));
    }),
};

async function listed(store: Store, found: FoundMessage[], withText: boolean): Promise<Answer> {
  if (found.length === 0)
    return { ok: false, json: { messages: [] }, text: ["Nothing that this server keeps contains that."] };
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
  return { ok: true, json: { messages }, text: [...table(names, rows), "", next] };
}

export const messagesShow: Command = {
  words: "messages show",
  summary: "tell what became of a message, step by step, without its text",
  takes: { name: "id", needed: true },
  options: TEXT,
  run: (context, given) =>
    context.withStore(async (store) => {
      const id = idOf(given.word ?? "") as FoundMessage["id"];
      const owner = await store.stories.accountOf(id);
      const story = owner && (await store.stories.of(owner, id));
      if (!owner || !story) return failed(`This server keeps no message ${id}.`);
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
