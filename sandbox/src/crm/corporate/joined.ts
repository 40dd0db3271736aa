import type { Gateway } from "../../gateway/gateway.ts";
import { summedUp } from "../orders/after.ts";
import { moveBills } from "../orders/moved.ts";
import type { Entry } from "../records.ts";
import { keep, writingBy } from "../resource/resource.ts";
import { ADDRESS } from "./address.ts";
import { COMPANY } from "./company.ts";
import { CONTACT } from "./contact.ts";
import { CORPORATE } from "./corporate.ts";
import { isSame, type Part, partsOf } from "./part.ts";

/** A corporate customer with the parts of one that goes: its own stay the main ones, and win over the same. */
export function joined(gateway: Gateway, from: Entry, into: Entry): Entry {
  const address = standingFor(gateway, ADDRESS, from, into);
  const company = standingFor(gateway, COMPANY, from, into);
  for (const { id } of partsOf(from, COMPANY)) if (company(id) !== id) moveBills(gateway, id, company(id));
  const moved = {
    ...from,
    companies: partsOf(from, COMPANY).map((part) =>
      part.address ? { ...part, address: { id: address((part.address as Entry).id) } } : part,
    ),
    customerContacts: partsOf(from, CONTACT).map((part) => ({
      ...part,
      companies: ((part.companies ?? []) as Entry[]).map((link) => ({
        ...link,
        company: { id: company((link.company as Entry).id) },
      })),
    })),
  };
  const whole = [ADDRESS, COMPANY, CONTACT].reduce(
    (corporate, kind) => withPartsOf(gateway, kind, moved, corporate),
    into,
  );
  return summedUp(gateway.world, whole);
}
/** The id of the same part of the other customer, or the own one. */
function standingFor(gateway: Gateway, kind: Part, from: Entry, into: Entry): (id: unknown) => unknown {
  const own = partsOf(into, kind).map((part) => ({ id: part.id, reference: kind.reference(gateway, part) }));
  const pairs = partsOf(from, kind).map((part): [unknown, unknown] => {
    const reference = kind.reference(gateway, part);
    return [part.id, own.find((each) => isSame(each.reference, reference))?.id ?? part.id];
  });
  const ids = new Map(pairs);
  return (id) => ids.get(id) ?? id;
}

function withPartsOf(gateway: Gateway, kind: Part, from: Entry, into: Entry): Entry {
  const own = partsOf(into, kind);
  const stands = standingFor(gateway, kind, from, into);
  const mainIsHere = own.some(({ isMain }) => isMain);
  const added = partsOf(from, kind).filter(({ id }) => stands(id) === id);
  return {
    ...into,
    [kind.kept]: [...own, ...added.map((part) => ({ ...part, isMain: part.isMain === true && !mainIsHere }))],
  };
}

/** Links to a customer who goes lead to the one who stays. */
export function moveContacts(gateway: Gateway, from: Entry, into: Entry): void {
  const { rows, having } = gateway.world.tables.corporate;
  const writing = writingBy(gateway, { source: "combine" });
  for (const id of having("customerContacts.customer.id", from.id)) {
    const corporate = rows.get(id) as Entry;
    const links = partsOf(corporate, CONTACT);
    const linked = links.some(({ customer }) => (customer as Entry).id === into.id);
    const moved = links.flatMap((link) => {
      if ((link.customer as Entry).id !== from.id) return [link];
      return linked ? [] : [{ ...link, customer: { id: into.id } }];
    });
    keep(CORPORATE, writing, { ...corporate, customerContacts: moved }, corporate);
  }
}
