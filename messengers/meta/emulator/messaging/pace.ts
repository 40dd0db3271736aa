import type { Platform } from "./network.ts";
import { words } from "./refusals.ts";
import type { SentMessage } from "./send-shape.ts";
import type { Account } from "./world.ts";

// https://developers.facebook.com/docs/messenger-platform/overview/rate-limiting
const TEXTS_A_SECOND = 300;
const MEDIA_A_SECOND = 10;
const CONVERSATIONS_A_SECOND = 2;
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
/** Calls a day: 200 for each engaged person. */
const FOR_EACH_PERSON = 200;

/** Throws GraphRefusal when an account sends too fast; notes its use in the answer's headers. */
export function checkRate(
  { core, world }: Platform,
  account: Account,
  { attachment }: SentMessage,
  headers: Record<string, string>,
): void {
  const isMedia = attachment?.type === "audio" || attachment?.type === "video";
  const max = isMedia ? MEDIA_A_SECOND : TEXTS_A_SECOND;
  if (!core.rates.take(`${isMedia ? "media" : "text"}:${account.id}`, max, SECOND_MS)) throw words(613, 1893016);
  noteUse({ core, world }, account, headers);
}

function noteUse(
  { core, world }: Pick<Platform, "core" | "world">,
  account: Account,
  headers: Record<string, string>,
): void {
  const engaged = Math.max(1, world.chats.filter((chat) => chat.account === account && chat.wroteAt > 0).length);
  const key = `day:${account.id}`;
  core.rates.take(key, FOR_EACH_PERSON * engaged, DAY_MS);
  const call_count = core.rates.used(key, FOR_EACH_PERSON * engaged, DAY_MS);
  const usage = {
    type: "messenger",
    call_count,
    total_cputime: 0,
    total_time: 0,
    estimated_time_to_regain_access: 0,
  };
  headers["x-business-use-case-usage"] = JSON.stringify({ [account.id]: [usage] });
}

/** The same for the list of conversations. */
export function checkListing({ core, world }: Platform, account: Account, headers: Record<string, string>): void {
  if (!core.rates.take(`conversations:${account.id}`, CONVERSATIONS_A_SECOND, SECOND_MS)) throw words(613, 1893016);
  noteUse({ core, world }, account, headers);
}
