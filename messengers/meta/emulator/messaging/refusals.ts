import type { z } from "zod";
import { type GraphRefusal, plainRefusal, refusal, serviceFailure, unknownFailure } from "../graph-error.ts";
import { faultOf } from "../tokens.ts";

// Codes and words: https://developers.facebook.com/docs/messenger-platform/error-codes

const POLICY = "https://developers.facebook.com/docs/messenger-platform/policy-overview";
type Words = [text: string, status?: number];

/** By code and subcode; `code/` alone is what it says without one. */
const WORDS: Record<string, Words> = {
  "4/": ["Application request limit reached", 403],
  "10/": ["Application does not have permission for this action", 403],
  "10/2018065": [`This message is sent outside of allowed window. Learn more about the new policy here: ${POLICY}`],
  "10/2018108": ["This Person Cannot Receive Messages: This person isn't receiving messages from you right now."],
  "10/2018278": [`This message is sent outside of allowed window. Learn more about the new policy here: ${POLICY}`],
  "10/2018300": ["Message failed to send because another app is controlling this thread now."],
  "10/2534022": ["This message is sent outside of allowed window."],
  "10/1893063": ["This Page has been temporarily restricted from sending messages."],
  "17/": ["User request limit reached", 403],
  "32/": ["Page request limit reached", 403],
  "100/": ["Invalid parameter"],
  "100/2018001": ["No matching user found"],
  "100/2018008": ["Failed to fetch the file from the url"],
  "100/2018034": ["Message cannot be empty, must provide valid attachment or text"],
  "100/2018047": [
    "Upload attachment failure. A common way to trigger this error is that the provided media type does not match type of file provided in the URL",
  ],
  "100/2018074": ["Invalid attachment id"],
  "100/2018109": ["Attachment size exceeds allowable limit"],
  "100/2018218": ["No profile available for this user."],
  "100/2534014": ["The requested user cannot be found."],
  "200/": ["Permissions error", 403],
  "200/1545041": ["This person isn't available right now."],
  "368/": ["The action attempted has been deemed abusive or is otherwise disallowed"],
  "551/1545041": ["This person isn't available right now."],
  "613/1893016": ["Calls to this API have exceeded the rate limit."],
  "1200/2018024": ["Temporary send message failure. Please try again later."],
  "10900/": ["Activity already replied to"],
  "10903/": ["This user cant reply to this activity"],
};

export function words(code: number, subcode?: number): GraphRefusal {
  const [text, status] = WORDS[`${code}/${subcode ?? ""}`] ?? WORDS[`${code}/`] ?? ["Invalid parameter"];
  return refusal(code, text, { ...(status && { status }), ...(subcode !== undefined && { error_subcode: subcode }) });
}

/** Of a planned fault. */
export function refusalFor(code: number, subcode: number | undefined): GraphRefusal {
  if (code === 190) return tokenRefusal(subcode);
  if (code === 1 && subcode === 1357046)
    return plainRefusal(1, "Received invalid JSON reply.", { status: 500, error_subcode: subcode });
  if (code === 1) return unknownFailure();
  if (code === 2) return serviceFailure(500);
  if (code === 102) return plainRefusal(102, "Session key invalid or no longer valid", { status: 401 });
  if (code === 200 && subcode === 1545041)
    return plainRefusal(200, "(#551) This person isn't available right now.", { error_subcode: subcode });
  return words(code, subcode);
}

function tokenRefusal(subcode: number | undefined): GraphRefusal {
  const token = {
    app: "",
    type: "PAGE" as const,
    user: "",
    value: "",
    rights: new Set(""),
    nodes: new Set(""),
    issuedAt: 0,
  };
  const ended = subcode === 458 ? ("app" as const) : subcode === 460 ? ("session" as const) : undefined;
  const known = faultOf({ ...token, ended, expiresAt: 0 }, 1);
  return known ?? plainRefusal(190, "Error validating access token", { status: 401 });
}

/** The first fault of a body, in Graph's words. */
export function shapeRefusal(issues: z.core.$ZodIssue[], body: unknown): GraphRefusal {
  const issue = issues[0];
  if (!issue) return words(100);
  const [first, ...rest] = issue.path.map(String);
  if (first === undefined && issue.code === "unrecognized_keys")
    return refusal(100, `Invalid keys "${issue.keys.join(", ")}" were found in the request.`);
  const name = `${first ?? ""}${rest.map((each) => `[${each}]`).join("")}`;
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], body);
  if (value === undefined && rest.length === 0) return refusal(100, `The parameter ${name} is required.`);
  if (issue.code === "unrecognized_keys")
    return refusal(100, `Invalid keys "${issue.keys.join(", ")}" were found in param "${name}".`);
  if (issue.code === "too_big")
    return refusal(100, `Length of param ${name} must be less than or equal to ${issue.maximum}`);
  if (issue.code === "too_small") return refusal(100, `Param ${name} must be non-empty.`);
  if (issue.code === "invalid_value")
    return refusal(100, `Param ${name} must be one of {${issue.values.map(String).join(", ")}}`);
  return refusal(100, `Param ${name} is not valid.`);
}
