import { MESSAGING } from "gangway-meta/messaging/verdict";
import type { Row } from "gangway-meta/verdict";

/** What Messenger's own codes mean (developers.facebook.com/docs/messenger-platform/error-codes). */
export const TABLE: readonly Row[] = [
  [10, 1893063, "spam_suspicion", "Meta has restricted this page for some time"],
  [1, 1357046, "unsure"],
  ...MESSAGING,
];
