import type { EventFlags } from "./world.ts";

/** Events that the emulator brings. */
const BROUGHT = [
  ...["message_new", "message_reply", "message_edit", "message_allow", "message_deny", "message_read"],
  ...["message_typing_state", "message_reaction_event"],
];
/** Events that can be switched on and that the settings do not list (VK's schema, groups_long_poll_events). */
const UNLISTED = ["message_event", "like_add", "like_remove"];
/** Events about other things. */
const OTHERS =
  "audio_new board_post_delete board_post_edit board_post_new board_post_restore group_change_photo group_change_settings group_join group_leave group_officers_edit lead_forms_new market_comment_delete market_comment_edit market_comment_new market_comment_restore market_order_new market_order_edit photo_comment_delete photo_comment_edit photo_comment_new photo_comment_restore photo_new poll_vote_new user_block user_unblock video_comment_delete video_comment_edit video_comment_new video_comment_restore video_new wall_post_new wall_reply_delete wall_reply_edit wall_reply_new wall_reply_restore wall_repost wall_schedule_post_new wall_schedule_post_delete donut_subscription_create donut_subscription_prolonged donut_subscription_cancelled donut_subscription_expired donut_subscription_price_changed donut_money_withdraw donut_money_withdraw_error".split(
    " ",
  );

/** Names of the switches. */
export const EVENTS = [...BROUGHT, ...UNLISTED, ...OTHERS];

/** As the settings list them: all, those that are off, too. */
export const listedEvents = (events: EventFlags): EventFlags =>
  Object.fromEntries([...BROUGHT, ...OTHERS].map((name) => [name, events[name] ?? 0]));
