import type { Area } from "../area.ts";
import { CONTRAGENT, FINDS_PARTY, NO_VISITS, SOURCE } from "./party.ts";

const ANN = {
  externalId: "ann",
  firstName: "Ann",
  lastName: "Anchor",
  email: "ann@shop.example",
  sex: "female",
  managerId: 1,
  vip: true,
  bad: true,
  isContact: true,
  subscribed: false,
  browserId: "browser-1",
  discountCardNumber: "card-1",
  phones: [{ number: "+35621000003" }],
  address: { countryIso: "MT", city: "Valletta", region: "Malta" },
  source: SOURCE,
  customFields: { sail: "7" },
  addTags: ["sailor"],
  attachedTag: "crew",
  contragent: CONTRAGENT,
};
const NAMED = { externalId: { id: "$ann", externalId: "ann" } };
const fresh = (name: string) => ({
  call: "customersCreate",
  form: { site: "shop", customer: { firstName: "Twin" } },
  keep: { [name]: "id" },
});
const noted = { text: "Pays late", managerId: 1, customer: { id: "$ann" } };

/** Made, read, changed; the lists come last, when there are orders and tasks. */
export const CUSTOMERS: Area = {
  setting: [{ call: "customersCreate", form: { customer: ANN, site: "shop" }, keep: { ann: "id" } }],
  operations: {
    customersCreate: {
      form: { site: "shop", customer: { firstName: "Joe" } },
      refused: [{ form: { customer: { firstName: "Joe" } } }],
      never: { "400 Parameter 'externalId' in 'customer' is missing": "the spec lets a customer have none" },
    },
    customersGet: { path: NAMED, finds: { site: "shop" } },
    customerInfoByPost: { path: NAMED, form: { site: "shop" } },
    customersEdit: { path: NAMED, form: { customer: { lastName: "Anker" } } },
    customersUpload: {
      form: { site: "shop", customers: [{ firstName: "Una" }] },
      refused: [
        { form: { site: "shop", customers: [{ firstName: "Vic", managerId: 999999 }] } },
        { form: { customers: [{ firstName: "Una" }] } },
      ],
    },
    customersSubscriptions: {
      path: NAMED,
      form: { subscriptions: [{ channel: "email", subscription: "news", active: true }] },
    },
    customersFixExternalIds: {
      before: [fresh("twin")],
      form: { customers: [{ id: "$twin", externalId: "twin-$n" }] },
      refused: [{ form: { customers: [{ id: "one", externalId: "twin" }] } }],
    },
    customersCombine: {
      before: [fresh("twin"), fresh("other")],
      form: { resultCustomer: { id: "$twin" }, customers: [{ id: "$other" }] },
      refused: [{ form: { resultCustomer: { id: "$twin" }, customers: [{ id: "$twin" }] } }],
    },
    customersNotesCreate: {
      form: { note: noted },
      keep: { note: "id" },
      refused: [{ form: { note: { text: "Whose?" } } }],
    },
    customersNotes: { refused: [{ query: { "filter[createdAtFrom]": "yesterday" } }] },
    customersNotesDelete: {
      before: [{ call: "customersNotesCreate", form: { note: noted }, keep: { gone: "id" } }],
      path: { id: "$gone" },
    },
    customersHistory: {},
  },
};

export const CUSTOMER_LISTS: Area = {
  setting: [
    {
      call: "tasksCreate",
      form: { task: { text: "Call Ann", datetime: "2020-01-01 10:00", performerId: 1, customer: { id: "$ann" } } },
    },
    {
      call: "customersList",
      query: { limit: 100 },
      keep: { chatting: "customers.*.mgCustomers.0.id", channel: "customers.*.mgCustomers.0.mgChannel.id" },
    },
  ],
  operations: {
    customersList: {
      finds: {
        "filter[name]": "Anker",
        "filter[city]": "Valletta",
        "filter[region]": "Malta",
        "filter[countries][]": "MT",
        "filter[notes]": "late",
        "filter[managers][]": "1",
        "filter[managerGroups][]": "director",
        "filter[segment]": "vip",
        "filter[mgCustomerId]": "$chatting",
        "filter[mgChannels][]": "$channel",
        "filter[attachedTags][]": "crew",
        ...FINDS_PARTY,
        "filter[customFields]": { sail: "7" },
        "filter[browserId]": "browser-1",
        "filter[subscriptions]": { news: "1" },
      },
      findsNot: { "filter[customFields]": { sail: "8" } },
      never: {
        ...NO_VISITS,
        "?filter[classSegment]": "no call tells of a customer's class",
        "?filter[commentary]": "the contract's customer has no commentary",
      },
    },
  },
};
