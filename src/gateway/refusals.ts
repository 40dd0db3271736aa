const BODY = [400, 422] as const;
/** 404: the path names a channel, a template or a file that can be gone. */
const PATH = [...BODY, 404] as const;

/**
 * Statuses with which the gateway's own error refuses a request for good, by the contract's operations. The contract names one
 * error for every status, so the rule is ours: any other status says "later", and 401 and 403 are about the token.
 */
export const REFUSALS = {
  listChannels: BODY,
  activateChannel: BODY,
  updateChannel: PATH,
  deactivateChannel: PATH,
  getTemplates: BODY,
  activateTemplate: PATH,
  updateTemplate: PATH,
  deactivateTemplate: PATH,
  uploadFile: BODY,
  getFileUrl: PATH,
  sendMessage: BODY,
  editMessage: BODY,
  deleteMessage: BODY,
  ackMessage: BODY,
  markMessageRead: BODY,
  markMessagesReadUntil: BODY,
  addMessageReaction: BODY,
  deleteMessageReaction: BODY,
  /** Of the bytes, at the address that getFileUrl gives; it takes no token. */
  downloadFile: PATH,
} satisfies Record<string, readonly number[]>;

export type Operation = keyof typeof REFUSALS;

export const refuses = (operation: Operation, status: number): boolean =>
  (REFUSALS[operation] as readonly number[]).includes(status);
