/** Key prefixes of the notes that sessions write, by lifetime. */
export const NOTES = {
  expires: [
    // Last known state of a message and of the parts of an album; edits are compared with it.
    "said:",
    "album:",
    // Whether a chat shows a keyboard; the last message of a group member.
    "keyboard:",
    "last:",
    // Somebody's last reaction to a message: of which second, and the how manyth of it.
    "reacted:",
  ],
  stays: [
    // Offset of long polling.
    "cursor",
    // Groups that were migrated to supergroups: new id by old, old id by new.
    "moved:",
    "was:",
    // Customers who have blocked the bot.
    "blocked:",
    // Business accounts: a connection's owner, an owner's connection, and its trouble.
    "owner:",
    "connection:",
    "business:",
  ],
};
