import { fingerprint } from "gangway-messenger/ids";
import { debugToken, type Inspected } from "./token.ts";

/** All logins that one person lets an app use, at any network. The person's id is kept only as a fingerprint. */
export const personGroup = (appId: string, userId: string): string => `meta:${appId}:person:${fingerprint(userId)}`;

/** The group of the token's owner: the app has its own id for them (docs/graph-api/reference/debug_token). */
export async function groupsOfToken(token: Inspected, signal: AbortSignal): Promise<string[]> {
  const { appId, userId } = (await debugToken(token, signal)) ?? {};
  return appId && userId ? [personGroup(appId, userId)] : [];
}
