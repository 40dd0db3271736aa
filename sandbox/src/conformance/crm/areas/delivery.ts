import type { Area } from "../area.ts";

const SHIPMENT = { store: "quay", date: "2030-01-15", managerId: 1, orders: [{ id: 5001 }], comment: "Gate 3" };

const CARRIER = {
  ...{ code: "carrier", name: "Carrier", clientId: "client-carrier", baseUrl: "http://127.0.0.1:9", active: true },
  integrations: { delivery: { statusList: [{ code: "taken", name: "Taken", isEditable: false }] } },
};
const CARRIED = { deliveryId: "carried-1", trackNumber: "T-9", cost: 5, extraData: { shelf: "7" } };
const TAKEN = { code: "taken", updatedAt: "2026-01-15T10:20:30+00:00", comment: "At the depot" };

export const DELIVERY: Area = {
  setting: [
    { call: "POST /api/v5/integration-modules/carrier/edit", form: { integrationModule: CARRIER } },
    {
      call: "ordersCreate",
      form: {
        site: "shop",
        order: { firstName: "Una", delivery: { code: "carrier", data: { externalId: "carried-1" } } },
      },
    },
  ],
  operations: {
    deliveryTracking: {
      path: { subcode: "carrier" },
      form: { statusUpdate: [{ ...CARRIED, history: [TAKEN] }] },
      refused: [{ form: { statusUpdate: [{ deliveryId: "carried-2" }] } }],
    },
    deliveryCalculate: {
      form: {
        deliveryTypeCodes: ["parcel", "carrier"],
        order: {
          ...{ weight: 300, length: 10, width: 20, height: 30 },
          items: [
            { offer: { id: 101 }, quantity: 2, initialPrice: 4, discountManualAmount: 1, priceType: { code: "base" } },
          ],
          delivery: { date: "2030-01-16", time: { from: "10:00", to: "12:00" }, address: { city: "Valletta" } },
        },
      },
      refused: [{ form: { deliveryTypeCodes: ["camel"], order: {} } }],
    },
    deliveryShipmentsCreate: {
      form: { deliveryType: "parcel", site: "shop", deliveryShipment: { ...SHIPMENT, externalId: "shipment-$n" } },
      keep: { shipment: "id" },
    },
    deliveryShipmentsGet: { path: { id: "$shipment" } },
    deliveryShipmentsEdit: {
      path: { id: "$shipment" },
      form: { deliveryType: "parcel", site: "shop", deliveryShipment: SHIPMENT },
    },
    deliveryShipments: { finds: { "filter[orderNumber]": "5001A", "filter[managers][]": 1 } },
  },
};
