import type { AccountId } from "../../domain/ids.ts";
import type { Store } from "../../store/store.ts";

/** Lifetime of a link and of the visit it opens: both end ten minutes after the link was made. */
const SUPPORT_MS = 600_000;
/** Maximum length of the reason. */
export const MAX_WHY = 200;

/**
 * Makes a single-use link to an account's pages, read-only. `why`, a ticket or a sentence, goes into the audit;
 * undefined if it is empty or too long.
 */
export type LinkForSupport = (accountId: AccountId, why: string) => Promise<string | undefined>;

interface Parts {
  store: Pick<Store, "webSessions">;
  publicUrl: string;
}

export const createLinkForSupport =
  ({ store, publicUrl }: Parts): LinkForSupport =>
  async (accountId, why) => {
    const reason = why.trim();
    if (reason === "" || reason.length > MAX_WHY) return undefined;
    const by = { actor: "operator" as const, action: "link made for support", detail: { why: reason } };
    return `${publicUrl}/support/${await store.webSessions.startSupport(accountId, SUPPORT_MS, by)}`;
  };
