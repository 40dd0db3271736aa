/** What this messenger's sessions note, by the beginnings of the keys, and how long it is kept. */
export const NOTES = {
  expires: [
    // What a message and the parts of an album said last: an edit is compared with it.
    "said:",
    "album:",
    // Whether a keyboard stands in a chat, and the last message of a member of a group.
    "keyboard:",
    "last:",
  ],
  stays: [
    // The position of long polling.
    "cursor",
    // Groups that have become supergroups, in both directions.
    "moved:",
    "was:",
    // Customers who have blocked the bot.
    "blocked:",
    // Business accounts: whose a connection is, an owner's connection, and what is wrong with it.
    "owner:",
    "connection:",
    "business:",
  ],
};
