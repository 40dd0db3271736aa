import type { ListFilters } from "../listing.ts";
import type { Entry } from "../records.ts";
import { equal, within } from "../resource/filters.ts";

/** Filters by contractor data: a customer's own, or that of a corporate customer's companies. */
export const contragentFilters = (path: string): ListFilters<Entry> => ({
  ...within({ contragentName: `${path}.legalName` }),
  ...equal({
    contragentTypes: `${path}.contragentType`,
    contragentInn: `${path}.INN`,
    contragentKpp: `${path}.KPP`,
    contragentBik: `${path}.BIK`,
    contragentCorrAccount: `${path}.corrAccount`,
    contragentBankAccount: `${path}.bankAccount`,
  }),
});

export const isFilled = (contragent: unknown): boolean =>
  Object.values((contragent ?? {}) as Entry).some((value) => value !== "" && value !== null);
