import type { Area } from "../area.ts";
import { because, CONTRAGENT, FINDS_PARTY, NO_VISITS, SOURCE } from "./party.ts";

const ADDRESS = {
  countryIso: "MT",
  city: "Valletta",
  region: "Malta",
  index: "1000",
  metro: "Quay",
  notes: "Ring twice",
};
const ORDER = {
  externalId: "order-1",
  countryIso: "MT",
  customer: { id: "$ann" },
  email: "ann@shop.example",
  managerId: 1,
  call: true,
  expired: true,
  shipped: true,
  uploadedToExternalStoreSystem: true,
  managerComment: "Pack well",
  customerComment: "Before noon",
  statusComment: "Waits",
  status: "new",
  shipmentStore: "quay",
  shipmentDate: "2030-01-15",
  contragent: CONTRAGENT,
  source: SOURCE,
  customFields: { gift: "1" },
  dialogId: "$dialog",
  delivery: {
    code: "parcel",
    service: { code: "express" },
    cost: 5,
    netCost: 4,
    date: "2030-01-16",
    time: { from: "10:00", to: "12:00" },
    address: ADDRESS,
    data: { trackNumber: "track-1", externalId: "parcel-1", courierId: 1 },
  },
  items: [{ offer: { id: 101 }, quantity: 2 }],
  payments: [{ type: "bank-card", status: "paid", amount: 13, paidAt: "2026-01-15 10:20:30" }],
};
const NAMED = { externalId: { id: "$order", externalId: "order-1" } };
const fresh = (name: string) => ({
  call: "ordersCreate",
  form: { site: "shop", order: { firstName: "Twin", items: [{ offer: { id: 102 } }] } },
  keep: { [name]: "id" },
});
const payment = { type: "cash", amount: 1, order: { id: "$order" } };
const pack = { itemId: "$item", quantity: 1, store: "quay" };
const packed = { ...pack, shipmentDate: "2030-01-15", invoiceNumber: "I-1", deliveryNoteNumber: "N-1" };

const RECEIPTS = ["receiptStatus", "receiptOperation", "receiptOrderStatus", "receiptFiscalDocumentAttribute"];
const PARCELS = ["dpdParcelDateFrom", "dpdParcelDateTo"];

/** The order of a customer, whom lists then find by it. */
export const ORDERED: Area = {
  setting: [
    {
      call: "customFieldsCreate",
      path: { entity: "order" },
      form: { customField: { code: "gift", name: "Gift", type: "string" } },
    },
    {
      call: "referencesDeliveryServicesEdit",
      path: { code: "express" },
      form: { deliveryService: { name: "Express" } },
    },
    { call: "GET /sandbox/state", keep: { dialog: "chats.*.dialogs.0.id" } },
    { call: "ordersCreate", form: { site: "shop", order: ORDER }, keep: { order: "id", item: "order.items.0.id" } },
  ],
  operations: {},
};

const firms = (field: string) => ({
  [`${field}.customer.type=customer_corporate`]: {
    form: { order: { customer: { type: "customer_corporate", id: "$firm" } } },
  },
});

/** Made, read, changed. Firms order only once the account has corporate customers. */
export const ORDERS: Area = {
  setting: [
    { call: "POST /sandbox/switches", form: { corporateOn: true } },
    {
      call: "ordersCreate",
      form: {
        site: "shop",
        order: {
          customer: { type: "customer_corporate", id: "$firm" },
          company: { name: "Anchor Ltd" },
          items: [{ offer: { id: 101 } }],
        },
      },
    },
  ],
  operations: {
    ordersCreate: {
      form: { site: "shop", order: { firstName: "Una", items: [{ offer: { id: 102 } }] } },
      choices: firms("order"),
      refused: [
        { form: { site: "shop", order: { customer: { externalId: "355" } } } },
        { form: { site: "shop", order: { orderType: "eshop-individual" } } },
        {
          before: [
            {
              call: "referencesDeliveryTypesEdit",
              path: { code: "cash-only" },
              form: { deliveryType: { name: "Cash only", paymentTypes: ["cash"] } },
            },
          ],
          form: { site: "shop", order: { delivery: { code: "cash-only" }, payments: [{ type: "bank-card" }] } },
        },
        { form: { site: "shop", order: { externalId: "order-1" } } },
        { form: { order: { firstName: "Una" } } },
      ],
    },
    orderInfo: { query: { id: "$order" }, finds: { externalId: "order-1", site: "shop" } },
    ordersGet: { path: NAMED, finds: { site: "shop" } },
    ordersEdit: {
      path: NAMED,
      form: { site: "shop", order: { lastName: "Anker" } },
      choices: firms("order"),
      refused: [{ form: { order: { lastName: "Anker" } } }],
    },
    ordersUpload: {
      form: { site: "shop", orders: [{ firstName: "Una" }] },
      choices: {
        "orders.0.customer.type=customer_corporate": {
          form: { orders: [{ customer: { type: "customer_corporate", id: "$firm" } }] },
        },
      },
      refused: [
        { form: { site: "shop", orders: [{ items: [{ offer: { id: 1 } }] }] } },
        { form: { orders: [{ firstName: "Una" }] } },
      ],
    },
    ordersFixExternalIds: {
      before: [fresh("twin")],
      form: { orders: [{ id: "$twin", externalId: "twin-$n" }] },
      refused: [{ form: { orders: [{ id: 999999, externalId: "twin" }] } }],
      never: { "400 Invalid input parameters": "no source tells which mistake it is about" },
    },
    ordersCombine: {
      before: [fresh("twin"), fresh("other")],
      form: { order: { id: "$other" }, resultOrder: { id: "$twin" } },
      refused: [{ form: { order: { id: "$twin" }, resultOrder: { id: "$twin" } } }],
    },
    ordersLinksCreate: {
      before: [fresh("twin"), fresh("other")],
      form: { link: { comment: "Goes along", orders: [{ id: "$twin" }, { id: "$other" }] } },
    },
    ordersPaymentsCreate: {
      form: { payment },
      refused: [{ form: { payment: { type: "cash" } } }],
    },
    ordersPaymentsEdit: {
      before: [
        {
          call: "ordersPaymentsCreate",
          form: { payment: { ...payment, externalId: "paid-1" } },
          keep: { paid: "id" },
        },
      ],
      path: { id: { id: "$paid", externalId: "paid-1" } },
      form: { by: "id", payment: { comment: "Later" } },
    },
    ordersPaymentsDelete: {
      before: [{ call: "ordersPaymentsCreate", form: { payment }, keep: { gone: "id" } }],
      path: { id: "$gone" },
    },
    packsCreate: {
      form: { pack: packed },
      keep: { pack: "id" },
      refused: [{ form: { pack: { itemId: "$item", quantity: 1 } } }],
    },
    packsGet: {
      path: { id: "$pack" },
      never: { "400 Errors in the entity format": "an id that is no number is refused as a parameter" },
    },
    packsEdit: {
      path: { id: "$pack" },
      form: { pack: { quantity: 1 } },
      refused: [{ path: { id: 123123 }, form: { pack: { quantity: 1 } } }],
    },
    packsDelete: {
      before: [{ call: "packsCreate", form: { pack }, keep: { gone: "id" } }],
      path: { id: "$gone" },
      never: { "404 {id}": "an unknown pack is recorded with 400" },
    },
    packsList: {
      finds: {
        "filter[offerXmlId]": "rope-12",
        "filter[offerExternalId]": "rope-12",
        "filter[orderId]": "$order",
        "filter[orderExternalId]": "order-1",
      },
    },
    packsHistory: { finds: { "filter[orderId]": "$order", "filter[orderExternalId]": "order-1" } },
    ordersStatuses: { finds: { "ids[]": "$order", "externalIds[]": "order-1" } },
    ordersHistory: {},
  },
};

export const ORDER_LIST: Area = {
  operations: {
    ordersList: {
      finds: {
        "filter[externalIds][]": "order-1",
        "filter[customer]": "Firm",
        "filter[customerExternalId]": "firm",
        "filter[countries][]": "MT",
        "filter[city]": "Valletta",
        "filter[region]": "Malta",
        "filter[index]": "1000",
        "filter[metro]": "Quay",
        "filter[email]": "ann@shop.example",
        "filter[product]": "rope",
        "filter[managers][]": "1",
        "filter[managerGroups][]": "director",
        "filter[managerComment]": "well",
        "filter[customerComment]": "noon",
        "filter[statusComment]": "Waits",
        "filter[deliveryAddressNotes]": "Ring",
        "filter[trackNumber]": "track-1",
        "filter[deliveryExternalId]": "parcel-1",
        "filter[deliveryTypes][]": "parcel",
        "filter[deliveryServices][]": "express",
        "filter[couriers][]": "1",
        "filter[shipmentStores][]": "quay",
        "filter[paymentTypes][]": "bank-card",
        "filter[paymentStatuses][]": "paid",
        ...FINDS_PARTY,
        "filter[companyName]": "Anchor",
        "filter[extendedStatus][]": "new",
        "filter[statusHistorySequence][]": "new",
        "filter[productGroups][]": "$group",
        "filter[mgChannels][]": "$channel",
        "filter[customFields]": { gift: "1" },
      },
      findsNot: {
        "filter[contragentInn]": "99",
        "filter[contragentKpp]": "99",
        "filter[contragentBik]": "99",
        "filter[contragentCorrAccount]": "99",
        "filter[contragentBankAccount]": "99",
        "filter[customFields]": { gift: "2" },
      },
      never: {
        ...NO_VISITS,
        ...because(RECEIPTS, "the sandbox has no cash register"),
        ...because(PARCELS, "the sandbox has no such delivery service"),
        "?filter[tags][]": "the contract's order has no tags",
        "?filter[attachedTags][]": "the contract's order has no tags",
        "?filter[productSearchType]": "no source tells its values",
      },
    },
  },
};
