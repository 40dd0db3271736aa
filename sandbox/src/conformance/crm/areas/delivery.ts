import type { Area } from "../area.ts";

const SHIPMENT = { store: "quay", date: "2030-01-15", managerId: 1, orders: [{ id: 5001 }], comment: "Gate 3" };

export const DELIVERY: Area = {
  operations: {
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
