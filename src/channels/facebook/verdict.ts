import { MESSAGING } from "../meta/messaging/verdict.ts";
import type { Row } from "../meta/verdict.ts";

/** What Messenger's own codes mean (developers.facebook.com/docs/messenger-platform/error-codes). */
export const TABLE: readonly Row[] = [
  [10, 1893063, "spam_suspicion", "Meta has restricted this page for some time"],
  [1, 1357046, "unsure"],
  ...MESSAGING,
];
