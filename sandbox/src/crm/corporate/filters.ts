import type { Gateway } from "../../gateway/gateway.ts";
import { contragentFilters } from "../customers/contragent.ts";
import { nameOf } from "../customers/customer.ts";
import { partyFilters } from "../customers/filters.ts";
import { containing, type ListFilters } from "../listing.ts";
import type { Entry } from "../records.ts";
import { equal, within } from "../resource/filters.ts";
import { CONTACT, personOf } from "./contact.ts";
import { partsOf } from "./part.ts";

export function corporateFilters(gateway: Gateway): ListFilters<Entry> {
  const people = (corporate: Entry) =>
    partsOf(corporate, CONTACT).map(({ customer }) => personOf(gateway, customer) ?? {});
  const nickName = containing(({ nickName }: Entry) => nickName as string | undefined);
  return {
    ...partyFilters(gateway, "corporateNotes"),
    ...contragentFilters("companies.contragent"),
    ...equal({ contactIds: "customerContacts.customer.id" }),
    ...within({
      name: "nickName",
      companyName: "companies.name",
      addressName: "addresses.name",
      city: "addresses.city",
      region: "addresses.region",
    }),
    // Recorded: `Test` finds `Test Corporate Customer`.
    nickName: (parts, keys) => {
      const matches = parts.map((part) => nickName([part], keys));
      return (corporate) => matches.some((match) => match(corporate));
    },
    contactName: containing((corporate) => people(corporate).map(nameOf).join("\n")),
    email: containing((corporate) =>
      people(corporate)
        .map(({ email }) => email ?? "")
        .join("\n"),
    ),
  };
}
