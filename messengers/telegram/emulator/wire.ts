// The Bot API objects that the emulator uses: https://core.telegram.org/bots/api#available-types

export interface User {
  id: number;
  is_bot: boolean;
  first_name: string;
  last_name?: string;
  username?: string;
  language_code?: string;
}

export type Chat =
  | { id: number; type: "private"; first_name: string; last_name?: string; username?: string }
  | { id: number; type: "group" | "supergroup" | "channel"; title: string };

/** Offsets and lengths in UTF-16 units. */
export interface Entity {
  type: string;
  offset: number;
  length: number;
  url?: string;
  language?: string;
  custom_emoji_id?: string;
  user?: Pick<User, "id"> & Partial<User>;
  unix_time?: number;
  date_time_format?: string;
}

export interface FileRef {
  file_id: string;
  file_unique_id: string;
  file_size?: number;
}
export interface PhotoSize extends FileRef {
  width: number;
  height: number;
}
interface NamedFile extends FileRef {
  file_name?: string;
  mime_type?: string;
  thumbnail?: PhotoSize;
}
export interface Video extends NamedFile {
  width: number;
  height: number;
  duration: number;
  cover?: PhotoSize[];
  start_timestamp?: number;
}
export interface Audio extends NamedFile {
  duration: number;
  performer?: string;
  title?: string;
}
export interface VideoNote extends FileRef {
  length: number;
  duration: number;
  thumbnail?: PhotoSize;
}
export interface Voice extends FileRef {
  duration: number;
  mime_type?: string;
}
export interface Sticker extends FileRef {
  type: "regular";
  width: number;
  height: number;
  is_animated: boolean;
  is_video: boolean;
  emoji?: string;
  thumbnail?: PhotoSize;
}
export interface Location {
  latitude: number;
  longitude: number;
  live_period?: number;
  horizontal_accuracy?: number;
  heading?: number;
  proximity_alert_radius?: number;
}
export interface Venue {
  location: Location;
  title: string;
  address: string;
  foursquare_id?: string;
  foursquare_type?: string;
  google_place_id?: string;
  google_place_type?: string;
}
export interface Poll {
  id: string;
  question: string;
  question_entities?: Entity[];
  options: { persistent_id: string; text: string; text_entities?: Entity[]; voter_count: number }[];
  total_voter_count: number;
  is_closed: boolean;
  is_anonymous: boolean;
  type: "regular" | "quiz";
  allows_multiple_answers: boolean;
  allows_revoting: boolean;
  members_only: boolean;
  correct_option_ids?: number[];
  explanation?: string;
  description?: string;
  open_period?: number;
  close_date?: number;
}
export interface InlineButton {
  text: string;
  icon_custom_emoji_id?: string;
  style?: string;
  url?: string;
  callback_data?: string;
  web_app?: { url: string };
  login_url?: { url: string; bot_username?: string };
  copy_text?: { text: string };
  pay?: boolean;
  callback_game?: unknown;
}

interface Gift {
  id: string;
  sticker: Sticker;
  star_count: number;
}
export interface GiftInfo {
  gift: Gift;
  owned_gift_id?: string;
  convert_star_count?: number;
  can_be_upgraded?: true;
  text?: string;
  entities?: Entity[];
  is_private?: true;
}
interface GiftPart {
  name: string;
  rarity_per_mille: number;
}
export interface UniqueGiftInfo {
  gift: {
    gift_id: string;
    base_name: string;
    name: string;
    number: number;
    model: GiftPart & { sticker: Sticker };
    symbol: GiftPart & { sticker: Sticker };
    backdrop: GiftPart & {
      colors: { center_color: number; edge_color: number; symbol_color: number; text_color: number };
    };
  };
  origin: "upgrade" | "transfer" | "resale" | "gifted_upgrade" | "offer";
  owned_gift_id?: string;
  transfer_star_count?: number;
}

export type MessageOrigin =
  | { type: "user"; date: number; sender_user: User }
  | { type: "hidden_user"; date: number; sender_user_name: string }
  | { type: "chat"; date: number; sender_chat: Chat }
  | { type: "channel"; date: number; chat: Chat; message_id: number };

/** A message's content, without sender, chat and date. */
export interface Content {
  text?: string;
  entities?: Entity[];
  /** Instead of `text`, for what was written with lists, tables or headings. */
  rich_message?: { blocks: { type: string }[] };
  caption?: string;
  caption_entities?: Entity[];
  photo?: PhotoSize[];
  video?: Video;
  animation?: Video;
  audio?: Audio;
  document?: NamedFile;
  voice?: Voice;
  video_note?: VideoNote;
  sticker?: Sticker;
  contact?: { phone_number: string; first_name: string; last_name?: string; user_id?: number; vcard?: string };
  location?: Location;
  venue?: Venue;
  poll?: Poll;
  dice?: { emoji: string; value: number };
  media_group_id?: string;
  show_caption_above_media?: true;
  has_media_spoiler?: true;
  pinned_message?: Message;
  new_chat_title?: string;
  gift?: GiftInfo;
  unique_gift?: UniqueGiftInfo;
  group_chat_created?: true;
  new_chat_members?: User[];
  left_chat_member?: User;
  migrate_to_chat_id?: number;
  migrate_from_chat_id?: number;
}

export interface Message extends Content {
  message_id: number;
  message_thread_id?: number;
  from?: User;
  sender_chat?: Chat;
  sender_business_bot?: User;
  business_connection_id?: string;
  chat: Chat;
  /** Unix time, seconds. */
  date: number;
  edit_date?: number;
  forward_origin?: MessageOrigin;
  reply_to_message?: Message;
  external_reply?: { origin: MessageOrigin; chat?: Chat; message_id?: number } & Content;
  quote?: { text: string; entities?: Entity[]; position: number; is_manual?: true };
  reply_to_story?: { chat: Chat; id: number };
  effect_id?: string;
  has_protected_content?: true;
  link_preview_options?: Record<string, unknown>;
  reply_markup?: { inline_keyboard: InlineButton[][] };
}

export const UPDATE_KINDS = [
  "message",
  "edited_message",
  "channel_post",
  "edited_channel_post",
  "business_connection",
  "business_message",
  "edited_business_message",
  "deleted_business_messages",
  "callback_query",
  "my_chat_member",
  "message_reaction",
  "message_reaction_count",
  "chat_member",
] as const;
export type UpdateKind = (typeof UPDATE_KINDS)[number];

export type Update = { update_id: number } & { [kind in UpdateKind]?: unknown };
