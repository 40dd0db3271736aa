import type { Entry } from "../crm/records.ts";
import type { Draw } from "./draw.ts";
import { COUNTRIES, type Country, SOURCES, TAGS } from "./words.ts";

/** Of one customer: where it is from, and when it came. */
export interface Coming {
  id: number;
  /** Customers before it. */
  n: number;
  createdAt: string;
  country: Country;
  managers: readonly number[];
}

const LATIN: Record<string, string> = Object.fromEntries(
  "а=a б=b в=v г=g д=d е=e ё=e ж=zh з=z и=i й=i к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=h ц=ts ч=ch ш=sh щ=sch ъ= ы=y ь= э=e ю=yu я=ya"
    .split(" ")
    .map((pair) => pair.split("=")),
);

/** In letters that an address of mail takes. */
const latin = (text: string): string =>
  [...text.toLowerCase().normalize("NFD")]
    .map((letter) => LATIN[letter] ?? letter)
    .join("")
    .replaceAll(/[^a-z]/g, "");

/** Most are from the first country. */
export const countryOf = (draw: Draw): Country => draw.one(draw.chance(0.4) ? COUNTRIES.slice(0, 1) : COUNTRIES);

export const phoneOf = (draw: Draw, { prefix, digits }: Country): string => `${prefix}9${draw.digits(digits - 1)}`;

export function addressOf(draw: Draw, { iso, cities, streets }: Country): Entry {
  const [city, region, index] = draw.one(cities);
  const [street, building, flat] = [draw.one(streets), String(draw.whole(1, 90)), String(draw.whole(1, 60))];
  const text = `${street} ${building}, ${flat}`;
  return { index, countryIso: iso, region, city, street, building, flat, text };
}

export function sourceOf(draw: Draw): Entry {
  const [source, medium, campaign, keyword, content] = draw.one(SOURCES);
  return { source, medium, campaign, keyword, content };
}

const BOATS = ["Albatross", "Gaviota", "Чайка", "Bora", "Vela"];

/** A person as the CRM keeps a customer that its API has created. */
export function personOf(draw: Draw, { id, n, createdAt, country, managers }: Coming): Entry {
  const woman = draw.chance(0.5);
  const sexed = (forms: readonly (readonly [string, string])[]) => draw.one(forms)[woman ? 1 : 0];
  const firstName = draw.one(woman ? country.women : country.men);
  const lastName = sexed(country.surnames);
  return {
    type: "customer",
    isContact: false,
    vip: draw.chance(0.04),
    bad: draw.chance(0.02),
    id,
    createdAt,
    site: country.iso === "ES" ? "outlet" : "shop",
    ...(draw.chance(0.8) && { externalId: `c${n + 1}` }),
    firstName,
    lastName,
    ...(country.patronymics && { patronymic: sexed(country.patronymics) }),
    sex: woman ? "female" : "male",
    email: `${latin(firstName)}.${latin(lastName)}${n + 1}@mail.example`,
    phones: [{ number: phoneOf(draw, country) }],
    address: addressOf(draw, country),
    ...(draw.chance(0.5) && {
      birthday: `${draw.whole(1950, 2004)}-${two(draw.whole(1, 12))}-${two(draw.whole(1, 28))}`,
    }),
    ...(draw.chance(0.6) && { managerId: draw.one(managers) }),
    ...(draw.chance(0.4) && { source: sourceOf(draw) }),
    ...extrasOf(draw, n, createdAt),
  };
}

const two = (number: number) => String(number).padStart(2, "0");

/** What few customers have. */
function extrasOf(draw: Draw, n: number, createdAt: string): Entry {
  return {
    ...(draw.chance(0.1) && { personalDiscount: draw.one([3, 5, 10]), discountCardNumber: `card-${n + 1}` }),
    ...(draw.chance(0.15) && { tags: [{ name: draw.one(TAGS), attached: draw.chance(0.3) }] }),
    ...(draw.chance(0.05) && { segments: [{ code: "regatta" }] }),
    ...(draw.chance(0.1) && { customFields: { boat: draw.one(BOATS) } }),
    ...(draw.chance(0.03) && { emailMarketingUnsubscribedAt: createdAt }),
    ...(draw.chance(0.1) && {
      customerSubscriptions: [
        { subscription: { channel: "email", code: "news" }, subscribed: draw.chance(0.9), changedAt: createdAt },
      ],
    }),
    ...(draw.chance(0.2) && { browserId: `browser-${n + 1}` }),
  };
}
