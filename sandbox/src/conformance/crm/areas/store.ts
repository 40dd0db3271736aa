import type { Area } from "../area.ts";

const GROUP = { externalId: "group-$n", name: "Covers", site: "shop", parentId: "$group" };
const NO_CATALOGUE = { "?filter[catalogs][]": "no call creates a catalogue" };

export const STORE: Area = {
  setting: [
    { call: "storeProductGroups", keep: { group: "productGroup.0.id", groupCode: "productGroup.0.externalId" } },
    { call: "storeProducts", keep: { offer: "products.0.offers.0.id", offerCode: "products.0.offers.0.externalId" } },
  ],
  operations: {
    storeProductGroupsCreate: { form: { productGroup: GROUP } },
    storeProductGroupsEdit: {
      path: { externalId: { id: "$group", externalId: "$groupCode" } },
      form: { productGroup: { description: "All of the quay" }, site: "shop" },
    },
    storeInventoriesUpload: {
      form: { offers: [{ id: "$offer", stores: [{ code: "quay", available: 5, purchasePrice: 2 }] }], site: "shop" },
    },
    storePricesUpload: { form: { prices: [{ id: "$offer", prices: [{ code: "base", price: 3.5 }] }] } },
    storeProducts: {
      finds: {
        "filter[urlLike]": "bag",
        "filter[xmlId]": "bag-01",
        "filter[priceType]": "base",
        "filter[sites][]": "shop",
        "filter[properties][]": "canvas",
        "filter[properties]": { material: "canvas" },
      },
      findsNot: { "filter[properties]": { material: "steel" } },
      never: { ...NO_CATALOGUE, "?filter[classSegment]": "no call tells of a product's class" },
    },
    storeProductsProperties: { finds: { sort: { offersCount: "asc" } }, never: NO_CATALOGUE },
    storeProductGroups: { finds: { "filter[parentGroupId]": "$group" }, never: NO_CATALOGUE },
    storeOffers: {
      finds: {
        "filter[groups][]": "$group",
        "filter[priceType]": "base",
        "filter[properties][]": "canvas",
        "filter[properties]": { material: "canvas" },
      },
      findsNot: { "filter[properties]": { material: "steel" } },
      never: NO_CATALOGUE,
    },
    storeInventories: {
      finds: {
        "filter[productExternalId]": "bag-01",
        "filter[productArticle][]": "BAG-01",
        "filter[offerExternalId][]": "bag-01",
        "filter[offerXmlId][]": "bag-01",
        "filter[offerArticle][]": "BAG-01",
        "filter[productActive]": "1",
        "filter[offerActive]": "1",
        "filter[details]": "1",
      },
      never: { ...NO_CATALOGUE, "empty ?filter[details]": "it chooses fields, not offers" },
    },
  },
};
