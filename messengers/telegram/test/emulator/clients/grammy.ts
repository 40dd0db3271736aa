import { type Api, InputFile } from "grammy";
import { ROBIN, WREN } from "../stage.ts";
import { APP, BYTES, CAPTION, KEYS, PICTURE, PLACE, type Scene } from "./scene.ts";

const picture = () => new InputFile(PICTURE, "sea.png");
const bytes = (name = "счёт.txt") => new InputFile(BYTES, name);
const { latitude, longitude } = PLACE;

/** Every served method, called through grammY, in a working order. */
export const GRAMMY_CALLS: Readonly<Record<string, (api: Api, scene: Scene) => Promise<unknown>>> = {
  getMe: (api) => api.getMe(),
  setWebhook: (api) => api.setWebhook("http://127.0.0.1:9/none", { allowed_updates: ["message"] }),
  getWebhookInfo: (api) => api.getWebhookInfo(),
  deleteWebhook: (api) => api.deleteWebhook(),
  getUpdates: (api) => api.getUpdates({ limit: 1 }),
  sendMessage: (api) =>
    api.sendMessage(ROBIN, "a <b>word</b>", { parse_mode: "HTML", reply_parameters: { message_id: 1 } }),
  sendPhoto: (api) => api.sendPhoto(ROBIN, picture(), { ...CAPTION, show_caption_above_media: true }),
  sendDocument: (api) => api.sendDocument(ROBIN, bytes(), CAPTION),
  sendVideo: (api) => api.sendVideo(ROBIN, bytes("v.mp4"), { ...CAPTION, duration: 4, thumbnail: picture() }),
  sendAnimation: (api) => api.sendAnimation(ROBIN, bytes("a.mp4"), CAPTION),
  sendAudio: (api) => api.sendAudio(ROBIN, bytes("a.mp3"), { ...CAPTION, title: "Tune" }),
  sendVoice: (api) => api.sendVoice(ROBIN, bytes("v.ogg"), { ...CAPTION, duration: 3 }),
  sendVideoNote: (api) => api.sendVideoNote(ROBIN, bytes("v.mp4"), { duration: 2 }),
  sendSticker: (api) => api.sendSticker(ROBIN, picture(), { emoji: "🌊" }),
  sendMediaGroup: (api) =>
    api.sendMediaGroup(ROBIN, [
      { type: "photo", media: picture(), ...CAPTION },
      { type: "video", media: bytes("v.mp4") },
    ]),
  sendLocation: (api) => api.sendLocation(ROBIN, latitude, longitude),
  sendVenue: (api) => api.sendVenue(ROBIN, latitude, longitude, "Pier", "Quay 1"),
  sendContact: (api) => api.sendContact(ROBIN, "+15550100042", "Robin"),
  sendDice: (api) => api.sendDice(ROBIN, "🎯"),
  sendPoll: (api) => api.sendPoll(ROBIN, "Tea?", ["Yes", { text: "No" }], { is_anonymous: false }),
  sendChatAction: (api) => api.sendChatAction(ROBIN, "typing"),
  forwardMessage: (api) => api.forwardMessage(ROBIN, ROBIN, 1),
  forwardMessages: async (api, { words }) => api.forwardMessages(ROBIN, ROBIN, [1, await words()]),
  copyMessage: (api) => api.copyMessage(ROBIN, ROBIN, 1),
  copyMessages: async (api, { words }) => api.copyMessages(ROBIN, ROBIN, [1, await words()]),
  editMessageText: async (api, { words }) =>
    api.editMessageText(ROBIN, await words(), "a <b>word</b>", { parse_mode: "HTML" }),
  editMessageCaption: async (api, { photo }) => api.editMessageCaption(ROBIN, await photo(), CAPTION),
  editMessageMedia: async (api, { photo }) =>
    api.editMessageMedia(ROBIN, await photo(), { type: "document", media: bytes(), ...CAPTION }),
  editMessageReplyMarkup: async (api, { words }) =>
    api.editMessageReplyMarkup(ROBIN, await words(), { reply_markup: KEYS }),
  editMessageLiveLocation: async (api, { live }) =>
    api.editMessageLiveLocation(ROBIN, await live(), latitude, longitude, { heading: 90 }),
  stopMessageLiveLocation: async (api, { live }) => api.stopMessageLiveLocation(ROBIN, await live()),
  stopPoll: async (api, { poll }) => api.stopPoll(ROBIN, await poll()),
  deleteMessage: async (api, { words }) => api.deleteMessage(ROBIN, await words()),
  deleteMessages: async (api, { words }) => api.deleteMessages(ROBIN, [await words(), await words()]),
  readBusinessMessage: (api, { connection, asked }) => api.readBusinessMessage(connection, ROBIN, asked),
  deleteBusinessMessages: (api, { connection, asked }) => api.deleteBusinessMessages(connection, [asked]),
  getBusinessConnection: (api, { connection }) => api.getBusinessConnection(connection),
  setMessageReaction: (api) => api.setMessageReaction(ROBIN, 1, [{ type: "emoji", emoji: "🔥" }]),
  pinChatMessage: (api, { group, inGroup }) => api.pinChatMessage(group, inGroup),
  unpinChatMessage: async (api, { pinned }) => api.unpinChatMessage(ROBIN, await pinned()),
  unpinAllChatMessages: (api, { group }) => api.unpinAllChatMessages(group),
  getFile: async (api, { file }) => api.getFile(await file()),
  getUserProfilePhotos: (api) => api.getUserProfilePhotos(ROBIN),
  getChat: (api) => api.getChat(ROBIN),
  getChatMember: (api, { group }) => api.getChatMember(group, WREN),
  getChatMemberCount: (api, { group }) => api.getChatMemberCount(group),
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
  setChatMenuButton: (api) => api.setChatMenuButton({ menu_button: APP }),
  getChatMenuButton: (api) => api.getChatMenuButton(),
  answerCallbackQuery: async (api, { pressed }) => api.answerCallbackQuery(await pressed(), { text: "Fine" }),
};
