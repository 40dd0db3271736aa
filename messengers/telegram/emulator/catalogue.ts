// Methods of Bot API 10.3: https://core.telegram.org/bots/api#available-methods

const REPLY = "disable_notification protect_content allow_paid_broadcast message_effect_id reply_parameters";
const PLACE = "business_connection_id chat_id! message_thread_id direct_messages_topic_id";
const POST = `${PLACE} ${REPLY} suggested_post_parameters reply_markup`;
const SENDING = `${POST} ephemeral_message_parameters`;
const CAPTION = "caption parse_mode caption_entities";
const EDITING = "business_connection_id chat_id message_id inline_message_id reply_markup";
const PASSING =
  "chat_id! message_thread_id direct_messages_topic_id from_chat_id! disable_notification protect_content";
const POLL =
  "question! question_parse_mode question_entities options! is_anonymous type allows_multiple_answers allows_revoting shuffle_options allow_adding_options hide_results_until_closes members_only country_codes correct_option_ids explanation explanation_parse_mode explanation_entities explanation_media open_period close_date is_closed description description_parse_mode description_entities media";

/** Served methods and their parameters; `!` marks required ones. */
const SERVED: Record<string, string> = {
  getMe: "",
  getUpdates: "offset limit timeout allowed_updates",
  setWebhook: "url! certificate ip_address max_connections allowed_updates drop_pending_updates secret_token",
  deleteWebhook: "drop_pending_updates",
  getWebhookInfo: "",
  sendMessage: `${SENDING} text! parse_mode entities link_preview_options`,
  sendPhoto: `${SENDING} ${CAPTION} photo! show_caption_above_media has_spoiler`,
  sendDocument: `${SENDING} ${CAPTION} document! thumbnail disable_content_type_detection`,
  sendVideo: `${SENDING} ${CAPTION} video! duration width height thumbnail cover start_timestamp show_caption_above_media has_spoiler supports_streaming`,
  sendAnimation: `${SENDING} ${CAPTION} animation! duration width height thumbnail show_caption_above_media has_spoiler`,
  sendAudio: `${SENDING} ${CAPTION} audio! duration performer title thumbnail`,
  sendVoice: `${SENDING} ${CAPTION} voice! duration`,
  sendVideoNote: `${SENDING} video_note! duration length thumbnail`,
  sendSticker: `${SENDING} sticker! emoji`,
  sendMediaGroup: `${PLACE} ${REPLY} media!`,
  sendLocation: `${SENDING} latitude! longitude! horizontal_accuracy live_period heading proximity_alert_radius`,
  sendVenue: `${SENDING} latitude! longitude! title! address! foursquare_id foursquare_type google_place_id google_place_type`,
  sendContact: `${SENDING} phone_number! first_name! last_name vcard`,
  sendDice: `${POST} emoji`,
  sendPoll: `business_connection_id chat_id! message_thread_id ${REPLY} reply_markup ${POLL}`,
  sendChatAction: "business_connection_id chat_id! message_thread_id action!",
  forwardMessage: `${PASSING} message_id! video_start_timestamp message_effect_id suggested_post_parameters`,
  forwardMessages: `${PASSING} message_ids!`,
  copyMessage: `${PASSING} message_id! ${CAPTION} video_start_timestamp show_caption_above_media allow_paid_broadcast message_effect_id suggested_post_parameters reply_parameters reply_markup`,
  copyMessages: `${PASSING} message_ids! remove_caption`,
  editMessageText: `${EDITING} text parse_mode entities link_preview_options rich_message`,
  editMessageCaption: `${EDITING} ${CAPTION} show_caption_above_media`,
  editMessageMedia: `${EDITING} media!`,
  editMessageReplyMarkup: EDITING,
  editMessageLiveLocation: `${EDITING} latitude! longitude! live_period horizontal_accuracy heading proximity_alert_radius`,
  stopMessageLiveLocation: EDITING,
  stopPoll: "business_connection_id chat_id! message_id! reply_markup",
  deleteMessage: "chat_id! message_id!",
  deleteMessages: "chat_id! message_ids!",
  deleteBusinessMessages: "business_connection_id! message_ids!",
  setMessageReaction: "chat_id! message_id! reaction is_big",
  pinChatMessage: "business_connection_id chat_id! message_id! disable_notification",
  unpinChatMessage: "business_connection_id chat_id! message_id",
  unpinAllChatMessages: "chat_id!",
  getFile: "file_id!",
  getUserProfilePhotos: "user_id! offset limit",
  getChat: "chat_id!",
  getChatMember: "chat_id! user_id!",
  getChatMemberCount: "chat_id!",
  getChatAdministrators: "chat_id! return_bots",
  setChatTitle: "chat_id! title!",
  setChatDescription: "chat_id! description",
  leaveChat: "chat_id!",
  setMyCommands: "commands! scope language_code",
  getMyCommands: "scope language_code",
  deleteMyCommands: "scope language_code",
  setMyName: "name language_code",
  getMyName: "language_code",
  setMyDescription: "description language_code",
  getMyDescription: "language_code",
  setMyShortDescription: "short_description language_code",
  getMyShortDescription: "language_code",
  setChatMenuButton: "chat_id menu_button",
  getChatMenuButton: "chat_id",
  answerCallbackQuery: "callback_query_id! text show_alert url cache_time",
  readBusinessMessage: "business_connection_id! chat_id! message_id!",
  getBusinessConnection: "business_connection_id!",
};

/** Methods refused by name. */
const REFUSED = `
addStickerToSet answerChatJoinRequestQuery answerGuestQuery answerInlineQuery answerPreCheckoutQuery answerShippingQuery
answerWebAppQuery approveChatJoinRequest approveSuggestedPost banChatMember banChatSenderChat close closeForumTopic
closeGeneralForumTopic convertGiftToStars createChatInviteLink createChatSubscriptionInviteLink createForumTopic
createInvoiceLink createNewStickerSet declineChatJoinRequest declineSuggestedPost deleteAllMessageReactions
deleteChatPhoto deleteChatStickerSet deleteEphemeralMessage deleteForumTopic deleteMessageReaction deleteStickerFromSet
deleteStickerSet deleteStory editChatInviteLink editChatSubscriptionInviteLink editEphemeralMessageCaption
editEphemeralMessageMedia editEphemeralMessageReplyMarkup editEphemeralMessageText editForumTopic editGeneralForumTopic
editMessageChecklist editStory editUserStarSubscription exportChatInviteLink getAvailableGifts getBusinessAccountGifts
getBusinessAccountStarBalance getChatGifts getCustomEmojiStickers getForumTopicIconStickers getGameHighScores
getManagedBotAccessSettings getManagedBotToken getMyDefaultAdministratorRights getMyStarBalance getStarTransactions
getStickerSet getUserChatBoosts getUserGifts getUserPersonalChatMessages getUserProfileAudios giftPremiumSubscription
hideGeneralForumTopic logOut postStory promoteChatMember refundStarPayment removeBusinessAccountProfilePhoto
removeChatVerification removeMyProfilePhoto removeUserVerification reopenForumTopic reopenGeneralForumTopic
replaceManagedBotToken replaceStickerInSet repostStory restrictChatMember revokeChatInviteLink
savePreparedInlineMessage savePreparedKeyboardButton sendChatJoinRequestWebApp sendChecklist sendGame sendGift
sendInvoice sendLivePhoto sendMessageDraft sendPaidMedia sendRichMessage sendRichMessageDraft
setBusinessAccountBio setBusinessAccountGiftSettings setBusinessAccountName setBusinessAccountProfilePhoto
setBusinessAccountUsername setChatAdministratorCustomTitle setChatMemberTag setChatPermissions setChatPhoto
setChatStickerSet setCustomEmojiStickerSetThumbnail setGameScore setManagedBotAccessSettings
setMyDefaultAdministratorRights setMyProfilePhoto setPassportDataErrors setStickerEmojiList setStickerKeywords
setStickerMaskPosition setStickerPositionInSet setStickerSetThumbnail setStickerSetTitle setUserEmojiStatus
transferBusinessAccountStars transferGift unbanChatMember unbanChatSenderChat unhideGeneralForumTopic
unpinAllForumTopicMessages unpinAllGeneralForumTopicMessages upgradeGift uploadStickerFile verifyChat verifyUser
`;

export const SERVED_METHODS: readonly string[] = Object.keys(SERVED);
export const REFUSED_METHODS: readonly string[] = REFUSED.trim().split(/\s+/);

export const isServed = (method: string): boolean => Object.hasOwn(SERVED, method);

// Older names that Telegram's server still accepts: Client.cpp of telegram-bot-api.
export const OLDER_METHODS: Readonly<Record<string, string>> = {
  getChatMembersCount: "getChatMemberCount",
  kickChatMember: "banChatMember",
  setStickerSetThumb: "setStickerSetThumbnail",
};
const OLDER: Record<string, readonly string[]> = {
  reply_parameters: ["reply_to_message_id", "allow_sending_without_reply"],
  link_preview_options: ["disable_web_page_preview"],
  thumbnail: ["thumb"],
};

export interface Listed {
  names: ReadonlySet<string>;
  required: readonly string[];
}
/** A method's parameters. */
export function listedFor(method: string): Listed {
  const words = (SERVED[method] ?? "").split(" ").filter((each) => each !== "");
  const names = words.map((each) => each.replace("!", ""));
  const required = words.filter((each) => each.endsWith("!")).map((each) => each.slice(0, -1));
  return { names: new Set(names.flatMap((name) => [name, ...(OLDER[name] ?? [])])), required };
}
