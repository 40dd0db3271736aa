// Parts of webhooks as MAX sends them, and made-up people.

export const AT = 1_764_000_000_000;
export const CHAT = "182182182";
export const BOT = 229_229_229;
export const MID = "mid.000000000adf429c019d47b1ce4600ff";
export const OTHER_MID = "mid.000000000adf429c019d47b1ce460100";

/** More digits than a double holds; the text is put in by `written`. */
const SEQ = "seq:116327994376978687";

export const written = (body: unknown): string => JSON.stringify(body).replace(/"seq:(\d+)"/g, "$1");

export const ROBIN = {
  user_id: 123_456_789,
  first_name: "Robin",
  last_name: "Reyes",
  is_bot: false,
  last_activity_time: AT,
  name: "Robin Reyes",
};
/** In events of a bot and a dialog. */
export const PICTURED = {
  ...ROBIN,
  avatar_url: "https://i.oneme.ru/i?r=1",
  full_avatar_url: "https://i.oneme.ru/i?r=2",
};
const SHOP = {
  user_id: BOT,
  first_name: "Shop",
  username: "shop_bot",
  is_bot: true,
  last_activity_time: AT,
  name: "Shop",
};

export const body = (more: object = {}) => ({ mid: MID, seq: SEQ, ...more });

/** Of the customer, unless `more` says otherwise. */
export const messageOf = (more: object = {}, given: object = {}) => ({
  recipient: { chat_id: Number(CHAT), chat_type: "dialog", user_id: BOT },
  timestamp: AT,
  body: body(more),
  sender: ROBIN,
  ...given,
});
export const created = (more: object = {}, given: object = {}) => ({
  message: messageOf(more, given),
  timestamp: AT,
  user_locale: "en",
  update_type: "message_created",
});
export const edited = (more: object = {}, given: object = {}) => ({
  message: messageOf(more, given),
  timestamp: AT + 1_000,
  update_type: "message_edited",
});
/** The bot's own. */
export const ours = (more: object = {}) => ({
  recipient: { chat_id: Number(CHAT), chat_type: "dialog", user_id: ROBIN.user_id },
  timestamp: AT,
  body: { ...body({ text: "Which one?" }), ...more },
  sender: SHOP,
});
export const about = (type: string, more: object = {}) => ({
  timestamp: AT,
  chat_id: Number(CHAT),
  user: PICTURED,
  user_locale: "en",
  user_id: ROBIN.user_id,
  update_type: type,
  ...more,
});
