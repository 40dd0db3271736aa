// What seeded people, firms and goods are called.

/** Male and female forms of names. */
export type Sexed = readonly [male: string, female: string];

export interface Country {
  iso: string;
  /** Of phone numbers. */
  prefix: string;
  /** Digits after the prefix. */
  digits: number;
  men: readonly string[];
  women: readonly string[];
  surnames: readonly Sexed[];
  patronymics?: readonly Sexed[];
  cities: readonly [city: string, region: string, index: string][];
  streets: readonly string[];
  legalForm: string;
}

const same = (names: string): Sexed[] => names.split(" ").map((name): Sexed => [name, name]);
const ending = (names: string): Sexed[] => names.split(" ").map((name): Sexed => [name, `${name}а`]);

export const COUNTRIES: readonly Country[] = [
  {
    iso: "MT",
    prefix: "+356",
    digits: 8,
    men: "James Peter Mark Paul Luke Martin Oliver Simon Thomas Victor Adam George".split(" "),
    women: "Anna Maria Claire Grace Emma Martha Sophie Helen Julia Rose Alice Nina".split(" "),
    surnames: same("Anchor Baker Camber Draper Fisher Harbour Keel Mason Porter Rigby Sailor Turner Webster Wright"),
    cities: [
      ["Valletta", "Malta", "VLT 1010"],
      ["Sliema", "Malta", "SLM 1020"],
      ["Mdina", "Malta", "MDN 1030"],
      ["Victoria", "Gozo", "VCT 1040"],
    ],
    streets: ["Harbour Street", "Old Bakery Street", "Quay Lane", "St Paul Street", "Windmill Road"],
    legalForm: "Ltd",
  },
  {
    iso: "ES",
    prefix: "+34",
    digits: 9,
    men: "José Carlos Javier Miguel Pablo Sergio Andrés Álvaro Diego Íñigo Raúl Tomás".split(" "),
    women: "Carmen Lucía Elena Marta Paula Sofía Inés Rocío Nuria Begoña Alba Pilar".split(" "),
    surnames: same("García López Núñez Ruiz Marín Vega Ibáñez Molina Ortiz Peña Romero Soler Torres Vidal"),
    cities: [
      ["Barcelona", "Cataluña", "08001"],
      ["Valencia", "Comunidad Valenciana", "46001"],
      ["Málaga", "Andalucía", "29001"],
      ["Cádiz", "Andalucía", "11001"],
      ["A Coruña", "Galicia", "15001"],
    ],
    streets: ["Calle del Mar", "Paseo Marítimo", "Avenida del Puerto", "Calle Mayor", "Plaza de España"],
    legalForm: "S.L.",
  },
  {
    iso: "RU",
    prefix: "+7",
    digits: 10,
    men: "Иван Пётр Алексей Дмитрий Сергей Михаил Андрей Николай Павел Олег Юрий Фёдор".split(" "),
    women: "Анна Мария Ольга Елена Татьяна Наталья Ирина Светлана Юлия Дарья Вера Ксения".split(" "),
    surnames: ending("Иванов Морозов Якорев Волков Соколов Кузнецов Попов Лебедев Новиков Фёдоров Орлов Ильин"),
    patronymics: [
      ["Иванович", "Ивановна"],
      ["Петрович", "Петровна"],
      ["Сергеевич", "Сергеевна"],
      ["Алексеевич", "Алексеевна"],
      ["Юрьевич", "Юрьевна"],
    ],
    cities: [
      ["Москва", "Москва", "101000"],
      ["Санкт-Петербург", "Санкт-Петербург", "190000"],
      ["Калининград", "Калининградская область", "236000"],
      ["Мурманск", "Мурманская область", "183000"],
    ],
    streets: ["Портовая улица", "Морской проспект", "улица Ленина", "Набережная улица", "Садовая улица"],
    legalForm: "ООО",
  },
];

export const FIRMS =
  "Albatross Beacon Capstan Delfín Estrella Gaviota Маяк Парус Штиль Compass Meridian Nordwind".split(" ");
export const TRADES = ["Charter", "Yachts", "Náutica", "Верфь", "Marina", "Chandlers", "Regatta"];

/** A kind of goods; its variants differ in one property. */
export interface Kind {
  name: string;
  /** Of its articles. */
  code: string;
  /** The group's externalId. */
  group: string;
  site: string;
  unit: "pc" | "m";
  price: number;
  property: string;
  values: readonly string[];
  /** Of one unit, kg. */
  weight: number;
}

const kind = (
  [name, code]: [string, string],
  [group, site, unit]: [string, string, Kind["unit"]],
  [price, weight]: [number, number],
  [property, ...values]: [string, ...string[]],
): Kind => ({ name, code, group, site, unit, price, weight, property, values });

export const KINDS: readonly Kind[] = [
  kind(["Braided rope", "BR"], ["rigging", "shop", "m"], [2.4, 0.1], ["diameter", "8", "10", "14"]),
  kind(["Snap shackle", "SH"], ["rigging", "shop", "pc"], [18.5, 0.2], ["length", "50", "70"]),
  kind(["Bronze cleat", "CL"], ["rigging", "shop", "pc"], [23, 0.4], ["length", "120", "150", "200"]),
  kind(["Turning block", "TB"], ["rigging", "shop", "pc"], [41.9, 0.5], ["diameter", "40", "60"]),
  kind(["Deck bag", "DB"], ["aboard", "shop", "pc"], [89.5, 1.1], ["colour", "tan", "navy"]),
  kind(["Wool cap", "CP"], ["clothing", "shop", "pc"], [31, 0.1], ["colour", "navy", "grey", "red"]),
  kind(["Oilskin jacket", "OJ"], ["clothing", "shop", "pc"], [149, 1.4], ["size", "S", "M", "L"]),
  kind(["Storm lantern", "SL"], ["lights", "shop", "pc"], [56, 1.8], ["material", "brass", "steel"]),
  kind(["Navigation light", "NL"], ["lights", "shop", "pc"], [74.25, 0.6], ["colour", "red", "green", "white"]),
  kind(["Chart of the coast", "CH"], ["navigation", "shop", "pc"], [27, 0.2], ["material", "paper", "linen"]),
  kind(["Steering compass", "SC"], ["navigation", "shop", "pc"], [212, 2.2], ["diameter", "85", "110"]),
  kind(["Тельняшка", "TL"], ["clothing", "shop", "pc"], [24.9, 0.3], ["size", "S", "M", "L"]),
  kind(["Судовой колокол", "KL"], ["aboard", "shop", "pc"], [64, 1.5], ["diameter", "100", "150"]),
  kind(["Cabo de amarre", "CA"], ["amarre", "outlet", "m"], [1.9, 0.1], ["diameter", "10", "12"]),
  kind(["Defensa inflable", "DF"], ["amarre", "outlet", "pc"], [22.5, 1.2], ["length", "400", "600"]),
  kind(["Botas de cubierta", "BT"], ["ropa", "outlet", "pc"], [59.9, 1.3], ["size", "39", "41", "43"]),
  kind(["Chaleco salvavidas", "CS"], ["ropa", "outlet", "pc"], [78, 0.9], ["size", "M", "L"]),
  kind(["Farol de popa", "FP"], ["amarre", "outlet", "pc"], [35.4, 0.7], ["material", "brass", "steel"]),
];

export const SERIES =
  "Harbour Meridian Polaris Mistral Levante Нева Балтика Atlas Corsair Bora Faro Orion Tramontana Маяк Vela Pelican".split(
    " ",
  );
export const MAKERS = ["Quay & Co.", "Harbour foundry", "Talleres Vega", "Балтийская мануфактура", "Gozo looms"];

export const SOURCES: readonly [source: string, medium: string, campaign: string, keyword: string, content: string][] =
  [
    ["search", "cpc", "spring", "rope", "banner"],
    ["search", "organic", "none", "yacht chandler", "text"],
    ["newsletter", "email", "regatta", "new goods", "letter"],
    ["social", "post", "verano", "náutica", "video"],
    ["partners", "referral", "sails", "тельняшка", "link"],
  ];
export const TAGS = ["sailor", "wholesale", "regatta", "gift", "harbour"];
export const CUSTOMER_COMMENTS = ["Before noon, please", "Llamar antes de entregar", "Позвоните за час", "As a gift"];
export const MANAGER_COMMENTS = ["Pack well", "Asked for an invoice", "Постоянный покупатель", "Pagará al recibir"];
export const NOTES = [
  "Pays late",
  "Prefers to be written to",
  "Любит скидки",
  "Compra cada verano",
  "Asks for samples",
];
export const TASKS = ["Call back", "Send the catalogue", "Уточнить адрес", "Confirmar la entrega", "Ask for a review"];
export const COMMENTS = ["Nobody answers", "Сделано", "Llamará mañana", "Wants it by Friday"];
