import { CHECKED } from "gangway-meta/inspecting";

/** Key prefixes of the notes that sessions write, by lifetime. */
export const NOTES = {
  expires: [
    // The message that a key became, told by Meta's answer or by a status.
    "accepted:",
    // Until when agents may answer freely, ms; by chat.
    "window:",
    // A name in the phone's address book; by number.
    "book:",
  ],
  ofStep: ["accepted:"],
  stays: [
    // The chat of a phone number or user id, where they differ.
    "chat:",
    // How a chat's customer is reached and was known; by chat.
    "to:",
    // Who wants no marketing; by chat.
    "optout:",
    // The account's other numbers, and whether the app was subscribed before us.
    "waba",
    // What sending the templates needs and the gateway does not carry.
    "shapes",
    // The import of the phone's chats.
    "phone-sync",
    // The last check of the subscription.
    CHECKED,
  ],
  ofCustomer: ["chat:", "optout:"],
};
