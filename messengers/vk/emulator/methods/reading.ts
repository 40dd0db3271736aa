import { z } from "zod";
import { type Asked, chatWith, method } from "../method.ts";
import { bool, int, ints, names, positive, text } from "../params.ts";
import { conversation, wireMessage } from "../wire.ts";
import { type Chat, type Message, type Person, seenIn } from "../world.ts";

const MAX_PAGE = 200;
const DEFAULT_PAGE = 20;

const page = positive.pipe(z.number().max(MAX_PAGE)).optional();
const chats = ({ core, community }: Asked<unknown>): Chat[] =>
  core.world.chats.filter((chat) => chat.community === community && chat.messages.length > 0);
const newest = (chat: Chat): Message | undefined => seenIn(chat).at(-1);

const profile = ({ id, firstName, lastName, photo }: Person) => ({
  ...{ id, first_name: firstName, last_name: lastName, can_access_closed: true, is_closed: false },
  ...{ screen_name: `id${id}`, ...(photo && { photo_200: photo }) },
});

/** Those with the newest messages first. */
const conversations = method({
  ...{ name: "messages.getConversations", right: "messages" },
  fields: {
    offset: positive.optional(),
    count: page,
    filter: text.optional(),
    extended: bool.optional(),
    fields: names.optional(),
  },
  run(asked) {
    const { offset = 0, count = DEFAULT_PAGE, extended } = asked.fields;
    const all = chats(asked)
      .filter((chat) => newest(chat))
      .sort((a, b) => (newest(b)?.id ?? 0) - (newest(a)?.id ?? 0));
    const shown = all.slice(offset, offset + count);
    const items = shown.map((chat) => ({
      conversation: conversation(chat),
      last_message: wireMessage(chat, newest(chat) as Message),
    }));
    return { count: all.length, items, ...(extended && { profiles: shown.map(({ person }) => profile(person)) }) };
  },
});

/** Newest first. */
const history = method({
  ...{ name: "messages.getHistory", right: "messages" },
  fields: {
    ...{
      peer_id: int.optional(),
      user_id: int.optional(),
      offset: int.optional(),
      count: page,
      rev: positive.optional(),
    },
    ...{ start_message_id: int.optional(), extended: bool.optional(), fields: names.optional() },
  },
  run(asked) {
    const { peer_id: peer, user_id: user, offset = 0, count = DEFAULT_PAGE, rev, extended } = asked.fields;
    const chat = chatWith(asked, peer ?? user);
    const all = rev === 1 ? seenIn(chat) : seenIn(chat).toReversed();
    const items = all.slice(offset, offset + count).map((message) => wireMessage(chat, message));
    return { count: all.length, items, ...(extended && { profiles: [profile(chat.person)] }) };
  },
});

const whole = (asked: Asked<unknown>, fits: (message: Message) => boolean, from = chats(asked)) => {
  const items = from.flatMap((chat) =>
    seenIn(chat)
      .filter(fits)
      .map((message) => wireMessage(chat, message)),
  );
  return { count: items.length, items };
};

const byId = method({
  ...{ name: "messages.getById", right: "messages" },
  fields: { message_ids: ints.optional(), cmids: ints.optional(), peer_id: int.optional(), extended: bool.optional() },
  run(asked) {
    const { message_ids: ids = [], cmids = [], peer_id: peer } = asked.fields;
    if (peer === undefined) return whole(asked, ({ id }) => ids.includes(id));
    return whole(asked, ({ cmid }) => cmids.includes(cmid), [chatWith(asked, peer)]);
  },
});

const byCmids = method({
  ...{ name: "messages.getByConversationMessageId", right: "messages" },
  fields: { peer_id: int, conversation_message_ids: ints, extended: bool.optional() },
  run(asked) {
    const { peer_id: peer, conversation_message_ids: ids } = asked.fields;
    return whole(asked, ({ cmid }) => ids.includes(cmid), [chatWith(asked, peer)]);
  },
});

const users = method({
  name: "users.get",
  fields: { user_ids: names.optional(), fields: names.optional(), name_case: text.optional() },
  run: ({ core, fields }) =>
    (fields.user_ids ?? []).flatMap((id) =>
      core.world.people.filter((person) => String(person.id) === id).map(profile),
    ),
});

const serverTime = method({
  ...{ name: "utils.getServerTime", fields: {} },
  run: ({ core }) => Math.floor(core.clock.now() / 1000),
});

export const readingMethods = [conversations, history, byId, byCmids, users, serverTime];
