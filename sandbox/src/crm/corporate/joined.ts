import type { Gateway } from "../../gateway/gateway.ts";
import type { Entry } from "../records.ts";
import { keep, writingBy } from "../resource/resource.ts";
import { ADDRESS } from "./address.ts";
import { COMPANY } from "./company.ts";
import { CONTACT } from "./contact.ts";
import { CORPORATE } from "./corporate.ts";
import { isSame, type Part, partsOf } from "./part.ts";

/** A corporate customer with the parts of one that goes: its own stay the main ones, and win over the same. */
export const joined = (gateway: Gateway, from: Entry, into: Entry): Entry =>
  [ADDRESS, COMPANY, CONTACT].reduce((corporate, kind) => withPartsOf(gateway, kind, from, corporate), into);

function withPartsOf(gateway: Gateway, kind: Part, from: Entry, into: Entry): Entry {
  const own = partsOf(into, kind);
  const known = (part: Entry) =>
    own.some((each) => isSame(kind.reference(gateway, each), kind.reference(gateway, part)));
  const mainIsHere = own.some(({ isMain }) => isMain);
  const added = partsOf(from, kind).filter((part) => !known(part));
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
