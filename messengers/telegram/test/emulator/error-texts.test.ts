import { describe, expect, it } from "vitest";
import { opened, ROBIN } from "./stage.ts";

const inline = (button: object) => ({ reply_markup: { inline_keyboard: [[{ text: "x", ...button }]] } });
const keys = (key: object) => ({ reply_markup: { keyboard: [[{ text: "x", ...key }]] } });
const marked = (entity: object) => ({ text: "hello", entities: [{ offset: 0, length: 5, ...entity }] });

// Known error texts of Telegram's server, verbatim.
const SAID: readonly [method: string, parameters: object, words: string][] = [
  ["sendMessage", { text: "" }, "message text is empty"],
  ["sendMessage", { chat_id: "", text: "t" }, "chat_id is empty"],
  ["sendMessage", { chat_id: 0, text: "t" }, "chat not found"],
  ["sendMessage", { chat_id: -1, text: "t" }, "chat not found"],
  ["sendMessage", { chat_id: "@this_channel_does_not_exist", text: "t" }, "chat not found"],
  ["sendMessage", { chat_id: "not_a_chat", text: "t" }, "chat not found"],
  ["sendMessage", { text: "x".repeat(4097) }, "message is too long"],
  ["sendMessage", { text: "t", parse_mode: "INVALID" }, "unsupported parse_mode"],
  [
    "sendMessage",
    { text: "*unclosed", parse_mode: "Markdown" },
    "can't parse entities: Can't find end of the entity starting at byte offset 0",
  ],
  [
    "sendMessage",
    { text: "*unclosed", parse_mode: "MarkdownV2" },
    "can't parse entities: Can't find end of Bold entity at byte offset 0",
  ],
  [
    "sendMessage",
    { text: "*bold _italic\\_*", parse_mode: "MarkdownV2" },
    "can't parse entities: Can't find end of Bold entity at byte offset 15",
  ],
  [
    "sendMessage",
    { text: "<b>unclosed", parse_mode: "HTML" },
    "can't parse entities: Can't find end tag corresponding to start tag \"b\"",
  ],
  ["sendMessage", { text: "t", message_thread_id: 999999999 }, "message thread not found"],
  ["sendMessage", { text: "t", reply_parameters: { message_id: 999999999 } }, "message to be replied not found"],
  [
    "sendMessage",
    marked({ type: "bold", offset: 100, length: 1 }),
    "entity begins after the end of the text at UTF-16 offset 100",
  ],
  [
    "sendMessage",
    marked({ type: "bold", length: 100 }),
    "entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 100",
  ],
  ["sendMessage", marked({ type: "invalid_type" }), "can't parse MessageEntity: Unsupported type specified"],
  ["sendMessage", marked({ type: "text_link", url: "not-a-url" }), "entity URL 'not-a-url' is invalid: Wrong HTTP URL"],
  ["sendMessage", marked({ type: "text_link", url: "" }), "entity URL '' is invalid: URL host is empty"],
  ["sendMessage", marked({ type: "bold", offset: -1, length: 1 }), "receive an entity with incorrect offset -1"],
  [
    "sendMessage",
    marked({ type: "custom_emoji", custom_emoji_id: "9999999999999999999" }),
    'can\'t parse MessageEntity: Field "custom_emoji_id" must be a valid Number',
  ],
  ["sendMessage", marked({ type: "custom_emoji" }), "can't parse MessageEntity: Can't find field \"custom_emoji_id\""],
  ["sendMessage", marked({ type: "text_link" }), "can't parse MessageEntity: Can't find field \"url\""],
  ["sendMessage", marked({ type: "text_mention" }), "can't parse MessageEntity: Can't find field \"user\""],
  ["sendMessage", marked({ type: "text_mention", user: { id: 0, is_bot: false, first_name: "X" } }), "user not found"],
  ["sendMessage", { text: "t", ...inline({ callback_data: "x".repeat(100) }) }, "BUTTON_DATA_INVALID"],
  ["sendMessage", { text: "t", business_connection_id: "invalid" }, "business connection not found"],
  ["sendMessage", { text: "t", message_effect_id: "9999999999999999999" }, "EFFECT_ID_INVALID"],
  ["sendMessage", { text: "t", allow_paid_broadcast: true }, "FLOODSKIP_NOT_ALLOWED"],
  [
    "sendMessage",
    { text: "t", ...inline({ url: "not-a-url" }) },
    "inline keyboard button URL 'not-a-url' is invalid: Wrong HTTP URL",
  ],
  [
    "sendMessage",
    { text: "t", ...inline({ url: "ftp://example.com" }) },
    "inline keyboard button URL 'ftp://example.com' is invalid: Unsupported URL protocol",
  ],
  [
    "sendMessage",
    { text: "hello.", parse_mode: "MarkdownV2" },
    "can't parse entities: Character '.' is reserved and must be escaped with the preceding '\\'",
  ],
  [
    "sendMessage",
    { text: "<script>alert(1)</script>", parse_mode: "HTML" },
    'can\'t parse entities: Unsupported start tag "script" at byte offset 0',
  ],
  [
    "sendMessage",
    { text: "<b><i>test</b></i>", parse_mode: "HTML" },
    'can\'t parse entities: Unmatched end tag at byte offset 10, expected "</i>", found "</b>"',
  ],
  [
    "sendMessage",
    { text: '<tg-emoji emoji-id="9999999999999999999">x</tg-emoji>', parse_mode: "HTML" },
    "can't parse entities: Invalid custom emoji identifier specified",
  ],
  [
    "sendMessage",
    { text: "t", suggested_post_parameters: {} },
    "suggested posts can be sent only to channel direct messages",
  ],
  ["sendMessage", { text: "t", link_preview_options: { url: "not-a-url" } }, "WEBPAGE_URL_INVALID"],
  [
    "sendMessage",
    { text: "t", ...inline({ web_app: { url: "bad" } }) },
    "inline keyboard button Web App URL 'bad' is invalid: Only HTTPS links are allowed",
  ],
  [
    "sendMessage",
    { text: "t", ...inline({ web_app: { url: "http://example.com" } }) },
    "inline keyboard button Web App URL 'http://example.com' is invalid: Only HTTPS links are allowed",
  ],
  [
    "sendMessage",
    { text: "t", ...keys({ web_app: { url: "http://example.com" } }) },
    "keyboard button Web App URL 'http://example.com' is invalid: Only HTTPS links are allowed",
  ],
  ["sendMessage", { text: "t", ...inline({ pay: true }) }, "BUTTON_TYPE_INVALID"],
  ["sendMessage", { text: "t", ...inline({ callback_game: {} }) }, "BUTTON_TYPE_INVALID"],
  ["sendMessage", { text: "t", ...inline({ copy_text: { text: "" } }) }, "BUTTON_COPY_TEXT_INVALID"],
  ["sendMessage", { text: "t", ...inline({ copy_text: { text: "x".repeat(257) } }) }, "BUTTON_COPY_TEXT_INVALID"],
  [
    "sendMessage",
    { text: "t", ...keys({ request_users: { request_id: 1, user_is_bot: true, max_quantity: 999 } }) },
    "BUTTON_QUANTITY_MAX_INVALID",
  ],
  [
    "sendMessage",
    { text: "t", ...inline({ login_url: { url: "https://example.com", bot_username: "nonexistent_bot_xyz_12345" } }) },
    'bot "nonexistent_bot_xyz_12345" not found',
  ],
  ["sendMessage", { text: "t", ...inline({ login_url: { url: "https://example.com" } }) }, "BOT_DOMAIN_INVALID"],
  ["sendMessage", { text: "   " }, "text must be non-empty"],
  ["sendVideo", {}, "there is no video in the request"],
  ["sendVideo", { video: "invalid-file-id" }, "wrong remote file identifier specified: Wrong padding in the string"],
  ["setMyName", { name: "" }, "BOT_TITLE_INVALID"],
  ["setMyName", {}, "BOT_TITLE_INVALID"],
  ["setMyDescription", { description: "x".repeat(513) }, "BOT_DESC_INVALID"],
  ["setMyShortDescription", { short_description: "x".repeat(121) }, "BOT_SHARETEXT_INVALID"],
  ["setMyCommands", { commands: [{ command: "bad command", description: "x" }] }, "BOT_COMMAND_INVALID"],
  ["setMyCommands", { commands: [{ command: "", description: "x" }] }, "command must be non-empty"],
  ["setMyCommands", { commands: [{ command: "start", description: "" }] }, "command description must be non-empty"],
  [
    "setMyCommands",
    { commands: [{ command: "start", description: "x" }], scope: { type: "chat" } },
    "can't parse BotCommandScope: Can't find field \"chat_id\"",
  ],
  [
    "setMyCommands",
    { commands: [{ command: "start", description: "x" }], scope: { type: "invalid" } },
    "can't parse BotCommandScope: Unsupported type specified",
  ],
  ["sendPoll", { question: "Q?", options: [] }, "poll must have at least one answer option"],
  ["stopPoll", { message_id: 999999999 }, "message with poll to stop not found"],
  ["pinChatMessage", {}, "message to pin not found"],
  ["pinChatMessage", { chat_id: 0, message_id: 1 }, "chat not found"],
  ["unpinChatMessage", { message_id: 999 }, "message to unpin not found"],
  ["setMessageReaction", { message_id: 999, reaction: [] }, "message to react not found"],
  ["forwardMessage", {}, 'parameter "from_chat_id" is required'],
  ["forwardMessage", { from_chat_id: ROBIN, message_id: 1, message_thread_id: 999 }, "message thread not found"],
  ["sendContact", { first_name: "x" }, 'parameter "phone_number" is required'],
  ["sendContact", { phone_number: "+1" }, 'parameter "first_name" is required'],
  ["sendVenue", { longitude: 1, title: "a", address: "b" }, "latitude is empty"],
  ["sendChatAction", {}, "wrong parameter action in request"],
  ["getFile", { file_id: "invalid" }, "invalid file_id"],
  ["getFile", {}, "file_id not specified"],
  [
    "setChatMenuButton",
    { menu_button: { type: "invalid" } },
    "can't parse menu button: MenuButton has unsupported type",
  ],
  ["setChatTitle", { title: "probe" }, "can't change private chat title"],
  ["setChatTitle", {}, "title must be non-empty"],
  ["setChatDescription", { description: "probe" }, "can't change private chat description"],
  [
    "answerCallbackQuery",
    { callback_query_id: "invalid" },
    "query is too old and response timeout expired or query ID is invalid",
  ],
  ["getBusinessConnection", {}, "business connection not found"],
  ["readBusinessMessage", { chat_id: undefined }, "chat identifier is empty"],
  ["leaveChat", {}, "chat member status can't be changed in private chats"],
  ["getUserProfilePhotos", { chat_id: undefined }, "invalid user_id specified"],
  ["getUserProfilePhotos", { chat_id: undefined, user_id: 999999999999 }, "user not found"],
  ["sendMediaGroup", {}, 'parameter "media" is required'],
  ["getChatMenuButton", { chat_id: 0 }, "invalid chat_id specified"],
];

describe("the Bot API", () => {
  it.each(SAID)("answers %s of %j with: %s", async (method, parameters, words) => {
    const { refusal } = await opened();
    expect(await refusal(method, { chat_id: ROBIN, ...parameters })).toBe(`400 Bad Request: ${words}`);
  });
});
