import type { Medium } from "gangway-meta/emulator/media";
import { type Network, seconds } from "./network.ts";
import type { BusinessNumber, Chat, Customer, Message } from "./world.ts";

// Pieces of a webhook's `value`.

export const metadataOf = ({ digits, id }: BusinessNumber) => ({ display_phone_number: digits, phone_number_id: id });

/** The common part. */
export const commonOf = ({ number, customer }: Chat, network: Network) => ({
  messaging_product: "whatsapp",
  metadata: metadataOf(number),
  contacts: [contactOf(customer, network)],
});

export function contactOf({ name, username, phone, isHidden, userId, parentUserId }: Customer, { switches }: Network) {
  return {
    profile: { name, ...(username && { username }) },
    ...(!isHidden && { wa_id: phone }),
    ...((isHidden || switches.values().userIds) && {
      user_id: userId,
      ...(parentUserId && { parent_user_id: parentUserId }),
    }),
  };
}

/** Who wrote: `from`, or only ids. */
export function senderOf({ phone, isHidden, userId, parentUserId }: Customer, { switches }: Network) {
  return {
    ...(!isHidden && { from: phone }),
    ...((isHidden || switches.values().userIds) && {
      from_user_id: userId,
      ...(parentUserId && { from_parent_user_id: parentUserId }),
    }),
  };
}

export function recipientOf({ phone, isHidden, userId, parentUserId }: Customer, { switches }: Network) {
  return {
    ...(!isHidden && { recipient_id: phone }),
    ...((isHidden || switches.values().userIds) && {
      recipient_user_id: userId,
      ...(parentUserId && { recipient_parent_user_id: parentUserId }),
    }),
  };
}

export const timestampOf = (ms: number): string => String(seconds(ms));

/** `context` of a reply to a message of this chat. */
export function quoteOf({ number, customer }: Chat, { from, id }: Message, network: Network) {
  if (from !== "customer") return { from: number.digits, id };
  return { ...senderOf(customer, network), id };
}

/** A file as a webhook names it. */
export function mediumValue(medium: Medium, network: Network, more: object = {}) {
  const { core, switches } = network;
  const url = switches.values().directUrl && `${core.origin()}${core.media.link(medium, MEDIA_URL_MS, true)}`;
  return {
    ...more,
    mime_type: medium.mediaType,
    sha256: Buffer.from(medium.sha256, "hex").toString("base64"),
    id: medium.id,
    ...(url && { url }),
  };
}

/** Life of an address for bytes. */
export const MEDIA_URL_MS = 5 * 60_000;
/** Life of a media id that a business uploads, or gets with a message. */
export const UPLOAD_MS = 30 * 86_400_000;
export const INCOMING_MS = 7 * 86_400_000;
