/** What customers and orders have alike, with the filters that find it. */
export const SOURCE = { source: "search", medium: "cpc", campaign: "spring", keyword: "rope", content: "banner" };
export const CONTRAGENT = {
  contragentType: "legal-entity",
  legalName: "Anchor Ltd",
  INN: "1",
  KPP: "2",
  BIK: "3",
  corrAccount: "4",
  bankAccount: "5",
};
export const FINDS_PARTY = {
  "filter[sourceName]": "search",
  "filter[mediumName]": "cpc",
  "filter[campaignName]": "spring",
  "filter[keywordName]": "rope",
  "filter[adContentName]": "banner",
  "filter[contragentName]": "Anchor",
  "filter[contragentInn]": "1",
  "filter[contragentKpp]": "2",
  "filter[contragentBik]": "3",
  "filter[contragentCorrAccount]": "4",
  "filter[contragentBankAccount]": "5",
};
const VISITS = ["firstWebVisitFrom", "firstWebVisitTo", "lastWebVisitFrom", "lastWebVisitTo"];
/** Filters that nothing can be found by, each with why. */
export const because = (names: readonly string[], why: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`?filter[${name}]`, why]));
export const NO_VISITS = because(VISITS, "no call tells of a visit to the shop");
