import { fingerprint } from "gangway-messenger/ids";
import { debugToken, type Inspected } from "./token.ts";

/** The logins that a person lets an app use, at any network. Their id is kept as a fingerprint only. */
export const personGroup = (appId: string, userId: string): string => `meta:${appId}:person:${fingerprint(userId)}`;

/** The group of the person whose token it is: the app has an id of its own for them (docs/graph-api/reference/debug_token). */
export async function groupsOfToken(token: Inspected, signal: AbortSignal): Promise<string[]> {
  const { appId, userId } = (await debugToken(token, signal)) ?? {};
  return appId && userId ? [personGroup(appId, userId)] : [];
}
