import type { Area } from "../area.ts";

const SHIPMENT = {
  externalId: "shipment-$n",
  managerId: 1,
  store: "quay",
  date: "2030-01-15",
  time: { from: "10:00", to: "12:00" },
  orders: [{ id: 5001 }],
};

export const SHIPMENTS: Area = {
  operations: {
    deliveryShipmentsCreate: {
      form: { deliveryType: "parcel", deliveryShipment: SHIPMENT, site: "shop" },
      keep: { shipment: "id" },
    },
    deliveryShipmentsGet: { path: { id: "$shipment" } },
    deliveryShipmentsEdit: { path: { id: "$shipment" }, form: { deliveryShipment: { comment: "Gate 3" } } },
    deliveryShipments: { finds: { "filter[orderNumber]": "5001A", "filter[managers][]": "1" } },
  },
};
