// The Bot API's objects as far as the emulator tells them: https://core.telegram.org/bots/api#available-types

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
  user?: unknown;
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
}
export interface Audio extends NamedFile {
  duration: number;
  performer?: string;
  title?: string;
}
export interface VideoNote extends FileRef {
  length: number;
  duration: number;
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
}
export interface Location {
  latitude: number;
  longitude: number;
  live_period?: number;
}
export interface Poll {
  id: string;
  question: string;
  options: { persistent_id: string; text: string; voter_count: number }[];
  total_voter_count: number;
  is_closed: boolean;
  is_anonymous: boolean;
  type: "regular" | "quiz";
  allows_multiple_answers: boolean;
  allows_revoting: boolean;
  members_only: boolean;
}
export interface InlineButton {
  text: string;
  url?: string;
  callback_data?: string;
}

/** What is told in a message, without who told it, where and when. */
export interface Content {
  text?: string;
  entities?: Entity[];
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
  contact?: { phone_number: string; first_name: string; last_name?: string; user_id?: number };
  location?: Location;
  venue?: { location: Location; title: string; address: string };
  poll?: Poll;
  dice?: { emoji: string; value: number };
  media_group_id?: string;
  has_media_spoiler?: true;
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
  /** Seconds. */
  date: number;
  edit_date?: number;
  forward_origin?: { type: "hidden_user"; date: number; sender_user_name: string };
  reply_to_message?: Message;
  quote?: { text: string; position: number; is_manual?: true };
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
