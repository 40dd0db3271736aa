import { MESSAGING } from "gangway-meta/messaging/verdict";
import type { Row } from "gangway-meta/verdict";

/** What Instagram's own codes mean. */
export const TABLE: readonly Row[] = [
  [452, "any", "dead", "the token is no longer valid"],
  [10900, "any", "access_restricted", "this comment has been answered in private already"],
  [10903, "any", "reply_timed_out", "this comment is too old to be answered in private"],
  ...MESSAGING,
];
