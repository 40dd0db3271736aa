import { decoded, fieldsOf, itemsOf } from "../fields.ts";
import { badRequest, Malformed } from "../refusal.ts";
import type { InlineButton } from "../wire.ts";
import type { Room, World } from "../world.ts";
import { buttonOf, checkedButton } from "./buttons.ts";
import { checkKey, type Key, keyOf } from "./keys.ts";
import type { Target } from "./targets.ts";

/** An inline keyboard, or a change of the reply keyboard. */
export type Markup =
  | { kind: "inline"; rows: InlineButton[][] }
  | { kind: "keyboard"; rows: Key[][]; oneTime: boolean }
  | { kind: "remove" | "force" };

// "row_button_count >= 12 || total_button_count >= 300": the rest is dropped; TDLib's ReplyMarkup.cpp
const MAX_IN_ROW = 12;
const MAX_BUTTONS = 300;
// https://limits.tginfo.me
const MAX_INLINE = 100;

/** Parses any of the four kinds. Throws Telegram's error. */
export function readMarkup(raw: unknown): Markup | undefined {
  if (raw === undefined || raw === null || raw === "") return undefined;
  const value = decoded(raw, "Can't parse reply keyboard markup JSON object");
  const fields = fieldsOf(value, "Object expected as reply markup");
  const rows = (fields.optionalArray("keyboard") ?? []).map((row) => itemsOf(row, "KeyboardButton", keyOf));
  const inline = (fields.optionalArray("inline_keyboard") ?? []).map((row) =>
    itemsOf(row, "InlineKeyboardButton", buttonOf),
  );
  // The second of each pair is an older name.
  const [removes, forces] = [
    ["remove_keyboard", "hide_keyboard"],
    ["force_reply", "force_reply_keyboard"],
  ].map((names) => names.filter(fields.optionalFlag).length > 0);
  for (const name of ["selective", "personal_keyboard"]) fields.optionalFlag(name);
  fields.optionalText("input_field_placeholder");
  if (rows.length > 0) {
    for (const name of ["resize_keyboard", "is_persistent"]) fields.optionalFlag(name);
    return { kind: "keyboard", rows, oneTime: fields.optionalFlag("one_time_keyboard") };
  }
  if (inline.length > 0) return { kind: "inline", rows: inline };
  if (removes) return { kind: "remove" };
  return forces ? { kind: "force" } : undefined;
}

interface MarkupTarget extends Target {
  world: World;
  /** Only an inline keyboard is allowed. */
  onlyInline: boolean;
}

/** The markup as allowed here; undefined if nothing is left. */
export function fitting(markup: Markup | undefined, target: MarkupTarget): Markup | undefined {
  if (!markup) return undefined;
  const { world, onlyInline, room } = target;
  if (onlyInline && markup.kind !== "inline") throw new Malformed("Inline keyboard expected");
  if (markup.kind === "inline") {
    const rows = capped(markup.rows, ({ text, icon_custom_emoji_id: icon }) => text !== "" || icon !== undefined);
    if (rows.flat().length > MAX_INLINE) throw badRequest("reply markup is too long");
    const checked = rows.map((row) => row.map((button) => checkedButton(world, button, room.kind === "private")));
    return checked.length > 0 ? { ...markup, rows: checked } : undefined;
  }
  if (markup.kind !== "keyboard") return markup;
  const rows = capped(markup.rows, ({ text }) => text !== "");
  for (const key of rows.flat()) checkKey(key, room.kind === "private" || room.kind === "people");
  return rows.length > 0 ? { ...markup, rows } : undefined;
}

/** Drops buttons without text and those beyond the limits. */
function capped<T>(rows: readonly T[][], isShown: (button: T) => boolean): T[][] {
  let left = MAX_BUTTONS;
  const kept = rows.map((row) => {
    const shown = row.filter(isShown).slice(0, Math.min(MAX_IN_ROW, left));
    left -= shown.length;
    return shown;
  });
  return kept.filter((row) => row.length > 0);
}

/** Sets or removes the room's reply keyboard. */
export function keepKeyboard(room: Room, markup: Markup | undefined): void {
  if (markup?.kind === "remove") room.keyboard = [];
  if (markup?.kind !== "keyboard") return;
  room.keyboard = markup.rows.map((row) => row.map(({ text, contact }) => ({ text, contact })));
  room.oneTime = markup.oneTime;
}
