import type { Call } from "gangway-messenger/call";
import { type Clock, pause } from "gangway-messenger/clock";
import { singleFlight } from "gangway-messenger/concurrency";
import { createCrm } from "../../crm/client.ts";
import { CrmError } from "../../crm/verdict.ts";
import type { Account } from "../../domain/account.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";

/** Keeps each account's language and time zone in sync with its CRM. */
export interface Locale {
  /** Resolves when the CRM answers or after a few seconds. Failures change nothing: the key may lack the right. */
  learn(account: Account): Promise<void>;
  /** Handles the CRM's callback that its settings changed. It is unsigned, so it only triggers a question. */
  changed(form: URLSearchParams): Promise<{ success: boolean }>;
}

export interface LocaleParts {
  call: Call;
  store: Pick<Store, "accounts">;
  clock: Clock;
  log: Log;
}

/** How long a person waits for the CRM's answer, ms. */
const PATIENCE_MS = 3_000;

export function createLocale({ call, store, clock, log }: LocaleParts): Locale {
  const once = singleFlight<void>();
  const ask = async ({ id, crmUrl, apiKey, language, timeZone }: Account) => {
    try {
      const settings = await createCrm({ call, crmUrl, apiKey }).settings();
      if (settings.language === language && settings.timeZone === timeZone) return;
      await store.accounts.setLocale(id, settings);
      log.info("account.locale", { account: id, ...settings });
    } catch (error) {
      const reason = error instanceof CrmError ? error.reason : String(error);
      log.debug("account.locale-not-known", { account: id, reason });
    }
  };
  const learn = (account: Account) => Promise.race([once(account.id, () => ask(account)), pause(clock, PATIENCE_MS)]);
  return {
    learn,
    async changed(form) {
      const account = await store.accounts.byClientId(form.get("clientId") ?? "");
      if (account) await learn(account);
      return { success: account !== undefined };
    },
  };
}
