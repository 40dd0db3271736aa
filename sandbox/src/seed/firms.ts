import type { Entry } from "../crm/records.ts";
import type { Draw } from "./draw.ts";
import { addressOf, type Coming, sourceOf } from "./people.ts";
import { FIRMS, TRADES } from "./words.ts";

/** A firm as the CRM keeps it: its addresses, companies, and the persons who act for it. */
export function firmOf(draw: Draw, coming: Coming, contacts: readonly Entry[], nextId: () => number): Entry {
  const { id, n, createdAt, country, managers } = coming;
  const name = `${draw.one(FIRMS)} ${draw.one(TRADES)}`;
  const addresses = ["Office", "Dock"].slice(0, draw.whole(1, 2)).map((each, m) => ({
    id: nextId(),
    isMain: m === 0,
    externalId: `a${n + 1}-${m + 1}`,
    name: each,
    ...addressOf(draw, country),
  }));
  const names = [name, `${name} Service`].slice(0, draw.chance(0.25) ? 2 : 1);
  const companies = names.map((each, m) => ({
    id: nextId(),
    isMain: m === 0,
    active: true,
    createdAt,
    externalId: `f${n + 1}-${m + 1}`,
    name: each,
    contragent: contragentOf(draw, `${each} ${country.legalForm}`, (addresses[0] as Entry | undefined)?.text),
    address: { id: addresses[0]?.id },
  }));
  return {
    type: "customer_corporate",
    vip: draw.chance(0.1),
    bad: draw.chance(0.02),
    id,
    createdAt,
    site: country.iso === "ES" ? "outlet" : "shop",
    nickName: name,
    externalId: `f${n + 1}`,
    managerId: draw.one(managers),
    ...(draw.chance(0.3) && { source: sourceOf(draw) }),
    ...(draw.chance(0.3) && { discountCardNumber: `firm-${n + 1}`, personalDiscount: 5 }),
    ...(draw.chance(0.5) && { customFields: { credit_days: draw.one([7, 14, 30]) } }),
    addresses,
    companies,
    customerContacts: contacts.map((person, m) => ({
      id: nextId(),
      isMain: m === 0,
      customer: { id: person.id },
      companies: [{ id: nextId(), company: { id: companies[0]?.id } }],
    })),
  };
}

const contragentOf = (draw: Draw, legalName: string, legalAddress: unknown): Entry => ({
  contragentType: "legal-entity",
  legalName,
  legalAddress,
  INN: draw.digits(10),
  KPP: draw.digits(9),
  BIK: draw.digits(9),
  corrAccount: `301${draw.digits(9)}`,
  bankAccount: `407${draw.digits(9)}`,
});
