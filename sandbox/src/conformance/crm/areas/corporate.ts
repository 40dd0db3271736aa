import type { Area, Scenario } from "../area.ts";

const CONTRAGENT = {
  contragentType: "legal-entity",
  legalName: "Sail Works Ltd",
  INN: "11",
  KPP: "12",
  BIK: "13",
  corrAccount: "14",
  bankAccount: "15",
};
const FIRM = {
  externalId: "firm",
  nickName: "Firm",
  vip: true,
  bad: true,
  managerId: 1,
  discountCardNumber: "card-2",
  customFields: { sail: "9" },
  addresses: [{ externalId: "quay", name: "Quay office", city: "Valletta", region: "Malta" }],
  companies: [{ externalId: "works", name: "Sail works", isMain: true, contragent: CONTRAGENT }],
  customerContacts: [{ customer: { externalId: "ann" } }],
};
const NAMED = { externalId: { id: "$firm", externalId: "firm" } };
const fresh = (name: string) => ({
  call: "customersCorporateCreate",
  form: { site: "shop", customerCorporate: { nickName: "Twin" } },
  keep: { [name]: "id" },
});
const noted = { text: "Pays late", managerId: 1, customer: { id: "$firm" } };

/** A part of the firm, which has both names. */
const part = (id: string, externalId: string) => ({ ...NAMED, entityExternalId: { id, externalId } });
const list = (finds: Record<string, unknown> = {}): Scenario => ({ path: NAMED, finds: { site: "shop", ...finds } });

export const CORPORATE: Area = {
  setting: [
    { call: "customersCorporateCreate", form: { site: "shop", customerCorporate: FIRM }, keep: { firm: "id" } },
  ],
  operations: {
    customersCorporateCreate: {
      form: { site: "shop", customerCorporate: { nickName: "Other" } },
      refused: [{ form: { customerCorporate: { nickName: "Other" } } }],
    },
    customersCorporateGet: { path: NAMED, finds: { site: "shop" } },
    customersCorporateEdit: { path: NAMED, form: { customerCorporate: { nickName: "Firm Ltd" } } },
    customersCorporateUpload: {
      form: { site: "shop", customersCorporate: [{ nickName: "Uploaded" }] },
      refused: [
        { form: { site: "shop", customersCorporate: [{ nickName: "Refused", managerId: 999999 }] } },
        { form: { customersCorporate: [{ nickName: "Uploaded" }] } },
      ],
    },
    customersCorporateFixExternalIds: {
      before: [fresh("twin")],
      form: { customersCorporate: [{ id: "$twin", externalId: "twin-$n" }] },
      refused: [{ form: { customersCorporate: [{ id: "one", externalId: "twin" }] } }],
    },
    customersCorporateCombine: {
      before: [fresh("twin"), fresh("other")],
      form: { resultCustomer: { id: "$twin" }, customers: [{ id: "$other" }] },
    },
    customersCorporateAddressesCreate: { path: NAMED, form: { address: { name: "Shed" } } },
    customersCorporateAddresses: { ...list(), keep: { address: "addresses.0.id" } },
    customersCorporateAddressesEdit: { path: part("$address", "quay"), form: { address: { text: "Quay 7" } } },
    customersCorporateCompaniesCreate: { path: NAMED, form: { company: { name: "Branch" } } },
    customersCorporateCompanies: { ...list(), keep: { company: "companies.0.id" } },
    customersCorporateCompaniesEdit: { path: part("$company", "works"), form: { company: { active: true } } },
    customersCorporateContactsCreate: {
      before: [
        { call: "customersCreate", form: { site: "shop", customer: { firstName: "Guest" } }, keep: { guest: "id" } },
      ],
      path: NAMED,
      form: { contact: { customer: { id: "$guest" } } },
    },
    customersCorporateContacts: {
      ...list({
        "filter[contactIds][]": "$ann",
        "filter[contactExternalIds][]": "ann",
        "filter[externalIds][]": "ann",
      }),
    },
    customersCorporateContactsEdit: { path: part("$ann", "ann"), form: { contact: { isMain: true } } },
    customersCorporateNotesCreate: { form: { note: noted } },
    customersCorporateNotes: {},
    customersCorporateNotesDelete: {
      before: [{ call: "customersCorporateNotesCreate", form: { note: noted }, keep: { gone: "id" } }],
      path: { id: "$gone" },
    },
    customersCorporateHistory: { finds: { "filter[contactIds][]": "$ann" } },
  },
};

export const CORPORATE_LIST: Area = {
  setting: [
    {
      call: "tasksCreate",
      form: { task: { text: "Call", datetime: "2020-01-01 10:00", performerId: 1, customer: { id: "$firm" } } },
    },
  ],
  operations: {
    customersCorporateList: {
      finds: {
        "filter[contactName]": "Ann",
        "filter[contactIds][]": "$ann",
        "filter[addressName]": "Quay",
        "filter[companyName]": "Sail",
        "filter[contragentName]": "Sail Works",
        "filter[contragentInn]": "11",
        "filter[contragentKpp]": "12",
        "filter[contragentBik]": "13",
        "filter[contragentCorrAccount]": "14",
        "filter[contragentBankAccount]": "15",
        "filter[name]": "Firm",
        "filter[city]": "Valletta",
        "filter[region]": "Malta",
        "filter[email]": "ann@shop.example",
        "filter[notes]": "late",
        "filter[managers][]": "1",
        "filter[managerGroups][]": "director",
        "filter[customFields]": { sail: "9" },
      },
      findsNot: { "filter[customFields]": { sail: "8" } },
      never: { "?filter[classSegment]": "no call tells of a customer's class" },
    },
  },
};
