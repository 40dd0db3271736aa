/** VK's own words for its codes (dev.vk.com/reference/errors). */
const WORDS: Record<number, string> = {
  1: "Unknown error occurred",
  3: "Unknown method passed",
  5: "User authorization failed: invalid access_token (4).",
  6: "Too many requests per second",
  7: "Permission to perform this action is denied",
  8: "Invalid request",
  9: "Flood control",
  10: "Internal server error: Unknown error, try later",
  15: "Access denied",
  18: "User was deleted or banned",
  27: "Group authorization failed: method is unavailable with group auth.",
  29: "Rate limit reached",
  100: "One of the parameters specified was missing or invalid",
  104: "Not found",
  105: "Couldn't save file",
  113: "Invalid user id",
  118: "Invalid server",
  121: "Invalid hash",
  129: "Invalid photo",
  203: "Access to group denied",
  900: "Can't send messages for users from blacklist",
  901: "Can't send messages for users without permission",
  902: "Can't send messages to this user due to their privacy settings",
  909: "Can't edit this message, because it's too old",
  911: "Keyboard format is invalid",
  914: "Message is too long",
  917: "You don't have access to this chat",
  920: "Can't edit this kind of message",
  921: "Can't forward these messages",
  924: "Can't delete this message for everybody",
  936: "Contact not found",
  943: "Cannot use this intent",
  950: "Can't send message, reply timed out",
  1009: "Invalid reaction id",
  1117: "Access token has expired",
  2000: "Servers number limit is reached",
};

/** A refusal of the API: it comes with HTTP 200. */
export class VkRefusal extends Error {
  readonly code: number;
  constructor(code: number, detail?: string) {
    const words = WORDS[code] ?? "Unknown error";
    super(detail ? `${words}: ${detail}` : words);
    this.code = code;
  }
}

export const invalid = (detail: string): VkRefusal => new VkRefusal(100, detail);
export const denied = (): VkRefusal =>
  new VkRefusal(15, "no access to call this method. It cannot be called with current scopes.");
