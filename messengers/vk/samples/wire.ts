/** A customer of the emulator, whose name it knows. */
export const CUSTOMER = 100_000_001;
export const GROUP = 200_000_001;
/** Seconds since 1970. */
export const DATE = 1_764_000_000;
export const AT = DATE * 1_000;
export const SECRET = "s".repeat(43);

let last = 0;

/** An event as VK sends it. */
export const event = (type: string, object: object, more: object = {}) => {
  last += 1;
  const event_id = `e${String(last).padStart(39, "0")}`;
  return { type, object, group_id: GROUP, event_id, v: "5.199", secret: SECRET, ...more };
};

/** A message in a private chat. */
export const wireMessage = (more: object = {}) => ({
  ...{ date: DATE, from_id: CUSTOMER, id: 900, version: 10_900, out: 0, important: false, is_hidden: false },
  ...{ attachments: [], conversation_message_id: 41, fwd_messages: [], text: "", peer_id: CUSTOMER, random_id: 0 },
  ...more,
});

const client_info = {
  button_actions: ["text", "vkpay", "open_app", "location", "open_link", "callback"],
  ...{ keyboard: true, inline_keyboard: true, carousel: true, lang_id: 0 },
};

export const newMessage = (more: object = {}, about: object = {}) =>
  event("message_new", { client_info, message: wireMessage(more) }, about);
export const attached = (type: string, of: object, more: object = {}) =>
  newMessage({ attachments: [{ type, [type]: of }], ...more });
/** Of the community: by staff, or by a program. */
export const reply = (more: object = {}) =>
  event("message_reply", wireMessage({ from_id: -GROUP, out: 1, text: "hello", ...more }));
