import type { Row } from "../verdict.ts";

const CLOSED = "the customer has not written for too long, so they cannot be answered";
const UNREACHABLE = "the customer cannot be reached: they may have blocked messages or left";

/** Codes of both networks, before those that all of Meta's networks share. */
export const MESSAGING: readonly Row[] = [
  [10, 2018278, "reply_timed_out", CLOSED],
  [10, 2534022, "reply_timed_out", CLOSED],
  [10, 2018065, "reply_timed_out", CLOSED],
  [10, 2018108, "access_restricted", UNREACHABLE],
  [10, 2018300, "access_restricted", "another app controls this conversation now"],
  [551, "any", "access_restricted", UNREACHABLE],
  [200, 1545041, "access_restricted", UNREACHABLE],
  [[200, 299], "any", "dead", "the token lacks a permission"],
  [100, 2018001, "customer_not_exists", "Meta knows no such customer"],
  [100, 2534014, "customer_not_exists", "Meta knows no such customer"],
  [100, 2018047, "general", "the file is not what its type says"],
  [100, 2018109, "general", "the file is too large"],
  [100, 2018008, "general", "Meta could not fetch the picture"],
  [1200, "any", "transient"],
];
