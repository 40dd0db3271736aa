import type { Markup } from "../parameters.ts";
import type { ReplyKey } from "../phone-wire.ts";
import { badRequest } from "../refusal.ts";
import type { InlineButton } from "../wire.ts";
import type { Room } from "../world.ts";

// https://limits.tginfo.me: 100 inline buttons, 8 in a row; 300 keys
const MOST_INLINE = 100;
const MOST_KEYS = 300;
// https://core.telegram.org/bots/api#inlinekeyboardbutton
const MOST_CALLBACK_BYTES = 64;

/** The buttons that stand under a message; undefined when there are none. */
export function inlineOf(markup: Markup | undefined): { inline_keyboard: InlineButton[][] } | undefined {
  const rows = markup?.inline_keyboard?.filter((row) => row.length > 0);
  if (!rows || rows.length === 0) return undefined;
  const buttons = rows.flat();
  if (buttons.length > MOST_INLINE) throw badRequest("reply markup is too long");
  for (const button of buttons) checkButton(button);
  return { inline_keyboard: rows };
}

function checkButton(button: InlineButton): void {
  const { text, url, callback_data: payload, ...rest } = button;
  if (text === "") throw badRequest("can't parse inline keyboard button: Text is empty");
  const actions = [
    url,
    payload,
    ...Object.entries(rest).map(([name, value]) => name !== "style" && name !== "icon_custom_emoji_id" && value),
  ];
  if (!actions.some((each) => each !== undefined && each !== false))
    throw badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
  if (payload !== undefined && (payload === "" || Buffer.byteLength(payload) > MOST_CALLBACK_BYTES))
    throw badRequest("BUTTON_DATA_INVALID");
  if (
    url !== undefined &&
    !/^(https?|tg|ton|tonsite):\/\/[^\s]+$/i.test(url) &&
    !/^[\w-]+(\.[\w-]+)+(\/\S*)?$/.test(url)
  )
    throw badRequest(`inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`);
}

/** Sets or takes away the keyboard in place of the phone's own. */
export function keepKeyboard(room: Room, markup: Markup | undefined): void {
  if (markup?.remove_keyboard) room.keyboard = [];
  if (!markup?.keyboard) return;
  room.keyboard = markup.keyboard.map((row) => row.map(keyOf));
  room.oneTime = markup.one_time_keyboard ?? false;
}

export function checkKeyboard(markup: Markup | undefined): void {
  const keys = markup?.keyboard?.flat() ?? [];
  if (keys.length > MOST_KEYS) throw badRequest("reply markup is too long");
  if (keys.some((key) => keyOf(key).text === "")) throw badRequest("can't parse keyboard button: Text is empty");
}

const keyOf = (key: NonNullable<Markup["keyboard"]>[number][number]): ReplyKey =>
  typeof key === "string" ? { text: key, contact: false } : { text: key.text, contact: key.request_contact ?? false };
