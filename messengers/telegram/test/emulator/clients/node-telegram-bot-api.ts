import { type Api, InputFile } from "node-telegram-bot-api";
import { ROBIN, WREN } from "../stage.ts";
import { APP, BYTES, CAPTION, KEYS, PICTURE, PLACE, type Scene } from "./scene.ts";

const chat_id = ROBIN;
const picture = () => new InputFile(PICTURE, { filename: "sea.png", contentType: "image/png" });
const bytes = (filename = "счёт.txt") => new InputFile(BYTES, { filename });
const passed = { chat_id, from_chat_id: ROBIN };

/** Every served method, called through node-telegram-bot-api, in a working order. */
export const NODE_CALLS: Readonly<Record<string, (api: Api, scene: Scene) => Promise<unknown>>> = {
  getMe: (api) => api.getMe(),
  setWebhook: (api) => api.setWebhook({ url: "http://127.0.0.1:9/none", allowed_updates: ["message"] }),
  getWebhookInfo: (api) => api.getWebhookInfo(),
  deleteWebhook: (api) => api.deleteWebhook(),
  getUpdates: (api) => api.getUpdates({ limit: 1 }),
  sendMessage: (api) =>
    api.sendMessage({ chat_id, text: "a <b>word</b>", parse_mode: "HTML", reply_parameters: { message_id: 1 } }),
  sendPhoto: (api) => api.sendPhoto({ chat_id, photo: picture(), ...CAPTION, show_caption_above_media: true }),
  sendDocument: (api) => api.sendDocument({ chat_id, document: bytes(), ...CAPTION }),
  sendVideo: (api) => api.sendVideo({ chat_id, video: bytes("v.mp4"), ...CAPTION, duration: 4, thumbnail: picture() }),
  sendAnimation: (api) => api.sendAnimation({ chat_id, animation: bytes("a.mp4"), ...CAPTION }),
  sendAudio: (api) => api.sendAudio({ chat_id, audio: bytes("a.mp3"), ...CAPTION, title: "Tune" }),
  sendVoice: (api) => api.sendVoice({ chat_id, voice: bytes("v.ogg"), ...CAPTION, duration: 3 }),
  sendVideoNote: (api) => api.sendVideoNote({ chat_id, video_note: bytes("v.mp4"), duration: 2 }),
  sendSticker: (api) => api.sendSticker({ chat_id, sticker: picture(), emoji: "🌊" }),
  sendMediaGroup: (api) =>
    api.sendMediaGroup({
      chat_id,
      media: [
        { type: "photo", media: picture(), ...CAPTION },
        { type: "video", media: bytes("v.mp4") },
      ],
    }),
  sendLocation: (api) => api.sendLocation({ chat_id, ...PLACE }),
  sendVenue: (api) => api.sendVenue({ chat_id, ...PLACE, title: "Pier", address: "Quay 1" }),
  sendContact: (api) => api.sendContact({ chat_id, phone_number: "+15550100042", first_name: "Robin" }),
  sendDice: (api) => api.sendDice({ chat_id, emoji: "🎯" }),
  sendPoll: (api) =>
    api.sendPoll({ chat_id, question: "Tea?", options: [{ text: "Yes" }, { text: "No" }], is_anonymous: false }),
  sendChatAction: (api) => api.sendChatAction({ chat_id, action: "typing" }),
  forwardMessage: (api) => api.forwardMessage({ ...passed, message_id: 1 }),
  forwardMessages: async (api, { words }) => api.forwardMessages({ ...passed, message_ids: [1, await words()] }),
  copyMessage: (api) => api.copyMessage({ ...passed, message_id: 1 }),
  copyMessages: async (api, { words }) => api.copyMessages({ ...passed, message_ids: [1, await words()] }),
  editMessageText: async (api, { words }) =>
    api.editMessageText({ chat_id, message_id: await words(), text: "a <b>word</b>", parse_mode: "HTML" }),
  editMessageCaption: async (api, { photo }) =>
    api.editMessageCaption({ chat_id, message_id: await photo(), ...CAPTION }),
  editMessageMedia: async (api, { photo }) =>
    api.editMessageMedia({
      chat_id,
      message_id: await photo(),
      media: { type: "document", media: bytes(), ...CAPTION },
    }),
  editMessageReplyMarkup: async (api, { words }) =>
    api.editMessageReplyMarkup({ chat_id, message_id: await words(), reply_markup: KEYS }),
  editMessageLiveLocation: async (api, { live }) =>
    api.editMessageLiveLocation({ chat_id, message_id: await live(), ...PLACE, heading: 90 }),
  stopMessageLiveLocation: async (api, { live }) => api.stopMessageLiveLocation({ chat_id, message_id: await live() }),
  stopPoll: async (api, { poll }) => api.stopPoll({ chat_id, message_id: await poll() }),
  deleteMessage: async (api, { words }) => api.deleteMessage({ chat_id, message_id: await words() }),
  deleteMessages: async (api, { words }) =>
    api.deleteMessages({ chat_id, message_ids: [await words(), await words()] }),
  readBusinessMessage: (api, { connection: business_connection_id, asked: message_id }) =>
    api.readBusinessMessage({ business_connection_id, chat_id, message_id }),
  deleteBusinessMessages: (api, { connection: business_connection_id, asked }) =>
    api.deleteBusinessMessages({ business_connection_id, message_ids: [asked] }),
  getBusinessConnection: (api, { connection: business_connection_id }) =>
    api.getBusinessConnection({ business_connection_id }),
  setMessageReaction: (api) =>
    api.setMessageReaction({ chat_id, message_id: 1, reaction: [{ type: "emoji", emoji: "🔥" }] }),
  pinChatMessage: (api, { group, inGroup }) => api.pinChatMessage({ chat_id: group, message_id: inGroup }),
  unpinChatMessage: async (api, { pinned }) => api.unpinChatMessage({ chat_id, message_id: await pinned() }),
  unpinAllChatMessages: (api, { group }) => api.unpinAllChatMessages({ chat_id: group }),
  getFile: async (api, { file }) => api.getFile({ file_id: await file() }),
  getUserProfilePhotos: (api) => api.getUserProfilePhotos({ user_id: ROBIN }),
  getChat: (api) => api.getChat({ chat_id }),
  getChatMember: (api, { group }) => api.getChatMember({ chat_id: group, user_id: WREN }),
  getChatMemberCount: (api, { group }) => api.getChatMemberCount({ chat_id: group }),
  getChatAdministrators: (api, { group }) => api.getChatAdministrators({ chat_id: group }),
  setChatTitle: (api, { group }) => api.setChatTitle({ chat_id: group, title: "Night crew" }),
  setChatDescription: (api, { group }) => api.setChatDescription({ chat_id: group, description: "Who is on watch" }),
  leaveChat: (api, { group }) => api.leaveChat({ chat_id: group }),
  setMyCommands: (api) => api.setMyCommands({ commands: [{ command: "start", description: "Begin" }] }),
  getMyCommands: (api) => api.getMyCommands(),
  deleteMyCommands: (api) => api.deleteMyCommands(),
  setMyName: (api) => api.setMyName({ name: "Pier" }),
  getMyName: (api) => api.getMyName(),
  setMyDescription: (api) => api.setMyDescription({ description: "We are open" }),
  getMyDescription: (api) => api.getMyDescription(),
  setMyShortDescription: (api) => api.setMyShortDescription({ short_description: "Open" }),
  getMyShortDescription: (api) => api.getMyShortDescription(),
  setChatMenuButton: (api) => api.setChatMenuButton({ menu_button: APP }),
  getChatMenuButton: (api) => api.getChatMenuButton(),
  answerCallbackQuery: async (api, { pressed }) =>
    api.answerCallbackQuery({ callback_query_id: await pressed(), text: "Fine" }),
};
