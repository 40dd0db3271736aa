import { CHECKED } from "gangway-meta/inspecting";
import { MESSAGING_NOTES } from "gangway-meta/messaging/notes";

export const NOTES = {
  expires: [
    ...MESSAGING_NOTES.expires,
    // A message of ours that is under way, by its words; a customer's last comment, until it is answered.
    "sending:",
    "comment:",
  ],
  ofStep: MESSAGING_NOTES.ofStep,
  stays: [...MESSAGING_NOTES.stays, CHECKED],
};

export const sendingKey = (chat: string, digest: string) => `sending:${chat}:${digest}`;
export const commentKey = (chat: string) => `comment:${chat}`;
