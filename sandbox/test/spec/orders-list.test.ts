import { describe, expect, it } from "vitest";
import { account, chatting } from "./account.ts";
import { CONTRAGENT } from "./crm-samples.ts";
import { describeList } from "./list-promises.ts";

const ROOT = "/api/v5/orders";
const DAY_MS = 24 * 3_600_000;

/** Beside the two orders of a new account: one with everything, one of a chat, and two days later one of another kind. */
async function several() {
  const own = await chatting();
  const { submit, wait, world } = own;
  await submit("/api/v5/custom-fields/order/create", { customField: { code: "gift", name: "Gift", type: "integer" } });
  const { body: ann } = await submit("/api/v5/customers/create", {
    customer: { externalId: "ann", firstName: "Ann", vip: true, bad: true, addTags: ["sailor"], attachedTag: "crew" },
  });
  const create = async (order: object) => {
    const { status, body } = await submit(`${ROOT}/create`, { order });
    expect([status, body.errors]).toEqual([201, undefined]);
    return Number(body.id);
  };
  await submit("/api/v5/reference/delivery-services/swift/edit", { deliveryService: { name: "Swift" } });
  const full = await create({
    externalId: "full",
    number: "F-1",
    customer: { id: ann.id },
    email: "ann@a.example",
    countryIso: "MT",
    managerId: 1,
    managerComment: "Wrap it",
    customerComment: "No hurry",
    statusComment: "Waits for rope",
    call: true,
    expired: true,
    shipped: true,
    uploadedToExternalStoreSystem: true,
    shipmentStore: "quay",
    shipmentDate: "2026-05-07",
    source: { source: "search", medium: "cpc", campaign: "spring", keyword: "rope", content: "banner" },
    contragent: CONTRAGENT,
    delivery: {
      code: "parcel",
      service: { code: "swift" },
      cost: 10,
      netCost: 8,
      date: "2026-05-09",
      time: { from: "10:00", to: "12:00" },
      address: { city: "Valletta", region: "Malta", index: "VLT 1", metro: "Harbour", notes: "Blue door" },
      data: { externalId: "D1", trackNumber: "T1", courierId: 1 },
    },
    items: [{ offer: { id: 104 }, quantity: 2 }],
    payments: [{ type: "cash", status: "paid", amount: 72, paidAt: "2026-05-01 09:00:00" }],
    customFields: { gift: 3 },
  });
  await submit("/api/v5/tasks/create", {
    task: { text: "Pack", datetime: "2026-05-01 09:00", performerId: 1, order: { id: full } },
  });
  const dialog = [...world.chats.values()][0]?.dialogs[0]?.id;
  const chat = await create({ dialogId: dialog, items: [{ productName: "Sail repair", initialPrice: 50 }] });
  wait(2 * DAY_MS);
  const late = await create({ firstName: "Bob", orderMethod: "phone" });
  await own.crm("POST", `${ROOT}/${late}/edit`, { by: "id", order: JSON.stringify({ status: "assembling" }) });
  return { ...own, ann: Number(ann.id), full, chat, late };
}

describe('"GET … /api/v5/orders … Order list."', () => {
  describeList({
    path: ROOT,
    many: "orders",
    prepare: several,
    refused: ["productSearchType"],
    found: ({ ann, full, chat, late, channel }) => ({
      [`ids][]=${full}&filter[ids][]=5001`]: [5001, full],
      "externalIds][]=full": [full],
      "numbers][]=F-1": [full],
      "numbers][]=5002A": [5002],
      "customer]=bob": [late],
      "customer]=ann": [full],
      [`customerId]=${ann}`]: [full],
      "customerExternalId]=ann": [full],
      "customerType]=customer": [full, chat, late],
      "customerType]=customer_corporate": [],
      "companyName]=x": [],
      "vip]=1": [full],
      "bad]=true": [full],
      "online]=1": [],
      "tags][]=sailor": [full],
      "attachedTags][]=crew": [full],
      "attachedTags][]=sailor": [],
      "firstWebVisitFrom]=2026-01-01": [],
      "firstWebVisitTo]=2026-01-01": [],
      "lastWebVisitFrom]=2026-01-01": [],
      "lastWebVisitTo]=2026-01-01": [],
      "firstOrderFrom]=2026-05-02": [late],
      "firstOrderTo]=2026-05-01": [full, chat],
      "lastOrderFrom]=2026-05-02": [late],
      "lastOrderTo]=2026-05-01": [full, chat],
      "countries][]=MT": [full],
      "city]=valletta": [full],
      "region]=malta": [full],
      "index]=vlt": [full],
      "metro]=harbour": [full],
      "deliveryAddressNotes]=twice": [5001],
      "email]=@a.example": [full],
      "deliveryTimeFrom]=10:00:00": [full],
      "deliveryTimeTo]=11:59:59": [],
      "minPrepaySumm]=70": [5001, full],
      "maxPrepaySumm]=50": [5002, chat, late],
      "minPrice]=90": [5001],
      "maxPrice]=50": [chat, late],
      "product]=cap-02": [full],
      "product]=repair": [chat],
      "productGroups][]=3": [5002, full],
      "expired]=1": [full],
      "call]=1": [full],
      "shipped]=1": [full],
      "uploadedToExtStoreSys]=1": [full],
      "deliveryStates][]=none": [5001, 5002, full, chat, late],
      "deliveryStates][]=success": [],
      "minDeliveryCost]=7": [full],
      "maxDeliveryCost]=5": [5002],
      "minDeliveryNetCost]=8": [full],
      "maxDeliveryNetCost]=7": [],
      "managerComment]=wrap": [full],
      "customerComment]=hurry": [full],
      "statusComment]=rope": [full],
      "minMarginSumm]=51": [5001, 5002],
      "maxMarginSumm]=26": [late],
      "minPurchaseSumm]=30": [full],
      "maxPurchaseSumm]=0": [5001, 5002, chat, late],
      "minCostSumm]=45": [full],
      "maxCostSumm]=0": [5001, 5002, chat, late],
      "trackNumber]=T1": [full],
      "deliveryExternalId]=D1": [full],
      "contragentName]=firm": [full],
      "contragentTypes][]=legal-entity": [full],
      "contragentInn]=1": [full],
      "contragentKpp]=2": [full],
      "contragentBik]=3": [full],
      "contragentCorrAccount]=4": [full],
      "contragentBankAccount]=5": [full],
      "attachments]=3": [5001, 5002, full, chat, late],
      "receiptFiscalDocumentAttribute]=x": [],
      "receiptStatus]=done": [],
      "receiptOperation]=sell": [],
      "receiptOrderStatus]=done": [],
      "tasksCounts]=1": [5001, 5002, chat, late],
      "tasksCounts]=2": [full],
      "tasksCounts]=3": [full],
      "orderTypes][]=main": [5001, 5002, full, chat, late],
      "managers][]=1": [full],
      "managerGroups][]=x": [],
      "paymentStatuses][]=paid": [5001, full],
      "sites][]=shop": [5001, 5002, full, chat, late],
      "paymentTypes][]=cash": [full],
      "deliveryTypes][]=parcel": [5001, full],
      "deliveryServices][]=swift": [full],
      "orderMethods][]=phone": [late],
      "couriers][]=1": [full],
      "shipmentStores][]=quay": [full],
      [`mgChannels][]=${channel}`]: [chat],
      "createdAtFrom]=2026-05-02": [late],
      "createdAtTo]=2026-01-15": [5001],
      "fullPaidAtFrom]=2026-05-01": [full],
      "fullPaidAtTo]=2026-01-15": [5001],
      "paidAtFrom]=2026-05-01": [full],
      "paidAtTo]=2026-01-15": [5001],
      "deliveryDateFrom]=2026-05-09": [full],
      "deliveryDateTo]=2026-05-08": [],
      "statusUpdatedAtFrom]=2026-05-02": [late],
      "statusUpdatedAtTo]=2026-01-31": [5001],
      "shipmentDateFrom]=2026-05-07": [full],
      "shipmentDateTo]=2026-05-06": [],
      "dpdParcelDateFrom]=2026-01-01": [],
      "dpdParcelDateTo]=2026-01-01": [],
      "customFields][gift]=3": [full],
      "customFields][gift][min]=4": [],
      "extendedStatus][]=assembling": [5001, late],
      "extendedStatus][]=new-group": [5002, full, chat],
      "statusHistorySequence][]=new&filter[statusHistorySequence][]=assembling": [late],
      "sourceName]=search": [full],
      "mediumName]=cpc": [full],
      "campaignName]=spring": [full],
      "keywordName]=rope": [full],
      "adContentName]=banner": [full],
    }),
  });
});

it("takes at most 100 numbers", async () => {
  const query = Array.from({ length: 101 }, (_, n) => `filter[numbers][]=${n}`).join("&");
  expect((await account().crm("GET", `${ROOT}?${query}`)).status).toBe(400);
});
