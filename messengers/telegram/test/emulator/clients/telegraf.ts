import { Input, type Telegram } from "telegraf";
import { ROBIN, WREN } from "../stage.ts";
import { APP, BYTES, CAPTION, KEYS, PICTURE, PLACE, type Scene } from "./scene.ts";

const picture = () => Input.fromBuffer(PICTURE, "sea.png");
const bytes = (name = "счёт.txt") => Input.fromBuffer(BYTES, name);
const { latitude, longitude } = PLACE;

/** Telegraf's names of methods that it renames. */
export const TELEGRAF_NAMES: Readonly<Record<string, string>> = {
  answerCallbackQuery: "answerCbQuery",
  getChatMemberCount: "getChatMembersCount",
};

/** Every served method, called through Telegraf, in a working order. */
export const TELEGRAF_CALLS: Readonly<Record<string, (api: Telegram, scene: Scene) => Promise<unknown>>> = {
  getMe: (api) => api.getMe(),
  setWebhook: (api) => api.setWebhook("http://127.0.0.1:9/none", { allowed_updates: ["message"] }),
  getWebhookInfo: (api) => api.getWebhookInfo(),
  deleteWebhook: (api) => api.deleteWebhook(),
  getUpdates: (api) => api.getUpdates(0, 1, 0, undefined),
  sendMessage: (api) =>
    api.sendMessage(ROBIN, "a <b>word</b>", { parse_mode: "HTML", reply_parameters: { message_id: 1 } }),
  // Telegraf targets an older Bot API and passes unknown parameters through.
  sendPhoto: (api) => api.sendPhoto(ROBIN, picture(), { ...CAPTION, ...{ show_caption_above_media: true } }),
  sendDocument: (api) => api.sendDocument(ROBIN, bytes(), CAPTION),
  sendVideo: (api) => api.sendVideo(ROBIN, bytes("v.mp4"), { ...CAPTION, duration: 4, thumbnail: picture() }),
  sendAnimation: (api) => api.sendAnimation(ROBIN, bytes("a.mp4"), CAPTION),
  sendAudio: (api) => api.sendAudio(ROBIN, bytes("a.mp3"), { ...CAPTION, title: "Tune" }),
  sendVoice: (api) => api.sendVoice(ROBIN, bytes("v.ogg"), { ...CAPTION, duration: 3 }),
  sendVideoNote: (api) => api.sendVideoNote(ROBIN, { source: BYTES, filename: "v.mp4" }, { duration: 2 }),
  sendSticker: (api) => api.sendSticker(ROBIN, picture(), { emoji: "🌊" }),
  sendMediaGroup: (api) =>
    api.sendMediaGroup(ROBIN, [
      { type: "photo", media: picture(), ...CAPTION },
      { type: "video", media: bytes("v.mp4") },
    ]),
  sendLocation: (api) => api.sendLocation(ROBIN, latitude, longitude),
  sendVenue: (api) => api.sendVenue(ROBIN, latitude, longitude, "Pier", "Quay 1"),
  sendContact: (api) => api.sendContact(ROBIN, "+15550100042", "Robin"),
  sendDice: (api) => api.sendDice(ROBIN, { emoji: "🎯" }),
  sendPoll: (api) => api.sendPoll(ROBIN, "Tea?", ["Yes", "No"], { is_anonymous: false }),
  sendChatAction: (api) => api.sendChatAction(ROBIN, "typing"),
  forwardMessage: (api) => api.forwardMessage(ROBIN, ROBIN, 1),
  forwardMessages: async (api, { words }) => api.forwardMessages(ROBIN, ROBIN, [1, await words()]),
  copyMessage: (api) => api.copyMessage(ROBIN, ROBIN, 1),
  copyMessages: async (api, { words }) => api.copyMessages(ROBIN, ROBIN, [1, await words()]),
  editMessageText: async (api, { words }) =>
    api.editMessageText(ROBIN, await words(), undefined, "a <b>word</b>", { parse_mode: "HTML" }),
  editMessageCaption: async (api, { photo }) =>
    api.editMessageCaption(ROBIN, await photo(), undefined, CAPTION.caption, { parse_mode: "HTML" }),
  editMessageMedia: async (api, { photo }) =>
    api.editMessageMedia(ROBIN, await photo(), undefined, { type: "document", media: bytes(), ...CAPTION }),
  editMessageReplyMarkup: async (api, { words }) => api.editMessageReplyMarkup(ROBIN, await words(), undefined, KEYS),
  editMessageLiveLocation: async (api, { live }) =>
    api.editMessageLiveLocation(ROBIN, await live(), undefined, latitude, longitude, { heading: 90 }),
  stopMessageLiveLocation: async (api, { live }) => api.stopMessageLiveLocation(ROBIN, await live(), undefined),
  stopPoll: async (api, { poll }) => api.stopPoll(ROBIN, await poll()),
  deleteMessage: async (api, { words }) => api.deleteMessage(ROBIN, await words()),
  deleteMessages: async (api, { words }) => api.deleteMessages(ROBIN, [await words(), await words()]),
  setMessageReaction: (api) => api.setMessageReaction(ROBIN, 1, [{ type: "emoji", emoji: "🔥" }]),
  pinChatMessage: (api, { group, inGroup }) => api.pinChatMessage(group, inGroup),
  unpinChatMessage: async (api, { pinned }) => api.unpinChatMessage(ROBIN, await pinned()),
  unpinAllChatMessages: (api, { group }) => api.unpinAllChatMessages(group),
  getFile: async (api, { file }) => api.getFile(await file()),
  getUserProfilePhotos: (api) => api.getUserProfilePhotos(ROBIN),
  getChat: (api) => api.getChat(ROBIN),
  getChatMember: (api, { group }) => api.getChatMember(group, WREN),
  getChatMemberCount: (api, { group }) => api.getChatMembersCount(group),
  getChatAdministrators: (api, { group }) => api.getChatAdministrators(group),
  setChatTitle: (api, { group }) => api.setChatTitle(group, "Night crew"),
  setChatDescription: (api, { group }) => api.setChatDescription(group, "Who is on watch"),
  leaveChat: (api, { group }) => api.leaveChat(group),
  setMyCommands: (api) => api.setMyCommands([{ command: "start", description: "Begin" }]),
  getMyCommands: (api) => api.getMyCommands(),
  deleteMyCommands: (api) => api.deleteMyCommands(),
  setMyName: (api) => api.setMyName("Pier"),
  getMyName: (api) => api.getMyName(),
  setMyDescription: (api) => api.setMyDescription("We are open"),
  getMyDescription: (api) => api.getMyDescription(),
  setMyShortDescription: (api) => api.setMyShortDescription("Open"),
  getMyShortDescription: (api) => api.getMyShortDescription(),
  setChatMenuButton: (api) => api.setChatMenuButton({ menuButton: APP }),
  getChatMenuButton: (api) => api.getChatMenuButton(),
  answerCallbackQuery: async (api, { pressed }) => api.answerCbQuery(await pressed(), "Fine"),
};
