import { ACCOUNT_ID, NUMBER_ID } from "../emulator/seed.ts";

/** Pieces of webhooks, as Meta sends them to the number of these tests. */
export const SHOP = "15550783881";
/** Robin has given WhatsApp a number and a user id; Merle hides hers. */
export const ROBIN = { phone: "34600111222", userId: "ES.13491208655302741918" };
export const MERLE = { userId: "MX.8801734509921177" };
/** Seconds. */
export const AT = 1_764_000_000;

const metadata = { display_phone_number: SHOP, phone_number_id: NUMBER_ID };

export const change = (field: string, value: object) => ({
  object: "whatsapp_business_account",
  entry: [{ id: ACCOUNT_ID, time: AT, changes: [{ field, value }] }],
});
export const about = (value: object, field = "messages") =>
  change(field, { messaging_product: "whatsapp", metadata, ...value });
export const ofNumber = (phone_number_id: string, value: object) =>
  change("messages", { messaging_product: "whatsapp", metadata: { ...metadata, phone_number_id }, ...value });

const robin = { profile: { name: "Robin Mar" }, wa_id: ROBIN.phone, user_id: ROBIN.userId };

/** A message of Robin. */
export const message = (content: object, more: object = {}) =>
  about({
    contacts: [robin],
    messages: [
      { from: ROBIN.phone, from_user_id: ROBIN.userId, id: "wamid.IN1", timestamp: String(AT), ...content, ...more },
    ],
  });

/** Written by staff in the app on the shop's phone. */
export const echo = (content: object) =>
  about(
    { message_echoes: [{ from: SHOP, to: ROBIN.phone, id: "wamid.ECHO1", timestamp: String(AT), ...content }] },
    "smb_message_echoes",
  );

export const status = (name: string, more: object = {}) =>
  about({
    statuses: [{ id: "wamid.OUT1", status: name, timestamp: String(AT), recipient_id: ROBIN.phone, ...more }],
  });

export const file = (id: string, mime_type: string, more: object = {}) => ({
  id,
  mime_type,
  sha256: "nxKzNgsvMLVPN0UOwQPe6MsWK2bTtL6Mrq3BTRbIcbM=",
  ...more,
});
