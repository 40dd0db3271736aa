import { describe, expect, it } from "vitest";
import { booking, delivering } from "./delivering.ts";

const path = (code: string) => `/api/v5/delivery/generic/${code}/tracking`;

async function tracking() {
  const own = await booking();
  const id = await own.booked();
  const track = (statusUpdate: unknown[], code = "m") => own.submit(path(code), { statusUpdate });
  const data = async () => (await own.read(id)).delivery.data;
  return { ...own, id, track, data };
}

describe("a delivery module's tracking", () => {
  it("tells where a delivery is: the order shows the last status, its history each", async () => {
    const { id, track, data, history, told, faults } = await tracking();
    const { status, body } = await track([
      {
        deliveryId: "d-1",
        trackNumber: "T2",
        cost: 6,
        extraData: { shelf: "7" },
        history: [
          { code: "taken", updatedAt: "2026-05-02T12:00:00+02:00", comment: "At the depot" },
          { code: "new", updatedAt: "2026-05-02T09:30:00+00:00" },
        ],
      },
    ]);
    expect([status, body]).toEqual([200, { success: true }]);
    expect(await data()).toEqual({
      ...{ externalId: "d-1", trackNumber: "T2", cost: 6, extraData: { box: "2", shelf: "7" } },
      ...{ status: "taken", statusText: "Taken", statusDate: "2026-05-02 10:00:00", statusComment: "At the depot" },
    });
    const changes = (await history(id)).filter(({ source, created }) => source === "api" && !created);
    expect(changes.map(({ field, oldValue, newValue }) => [field, oldValue, newValue])).toEqual([
      ["integration_delivery_data.track_number", "T1", "T2"],
      ["integration_delivery_data.cost", 5.5, 6],
      ["integration_delivery_data.status", "new", "taken"],
    ]);
    // The module is not told what it told.
    expect([told().length, faults()]).toEqual([1, []]);
  });

  it("an older status comes too late, and one without a time counts as of now", async () => {
    const { track, data } = await tracking();
    const told = (code: string, updatedAt?: string) => track([{ deliveryId: "d-1", history: [{ code, updatedAt }] }]);
    await told("taken", "2026-05-01T09:00:00+00:00");
    await told("new", "2026-05-01T08:00:00+00:00");
    expect(await data()).toMatchObject({ status: "taken", statusDate: "2026-05-01 09:00:00" });
    await told("new");
    expect(await data()).toMatchObject({ status: "new", statusDate: "2026-05-01 10:00:00" });
  });

  it.each([
    [{}, "[1].deliveryId", "This value should not be blank."],
    [{ deliveryId: "d-9" }, "[1].deliveryId", "Delivery with id d-9 not found."],
    [{ deliveryId: "d-1", history: [{}] }, "[1].history[0].code", "This value should not be blank."],
    [
      { deliveryId: "d-1", history: [{ code: "lost" }] },
      "[1].history[0].code",
      '"Status" with "code"="lost" does not exist.',
    ],
    [
      { deliveryId: "d-1", history: [{ code: "taken", updatedAt: "2026-05-02" }] },
      "[1].history[0].updatedAt",
      "is not a date (Y-m-d\\TH:i:sP)",
    ],
    [{ deliveryId: "d-1", cost: "much" }, "[1].cost", "must be number"],
  ])("is refused as a whole with %o", async (wrong, field, words) => {
    const { track, data } = await tracking();
    const before = await data();
    expect(await track([{ deliveryId: "d-1", trackNumber: "T2" }, wrong])).toMatchObject({
      status: 400,
      body: { errorMsg: "Errors in the entity format", errors: { [field]: words } },
    });
    expect(await data()).toEqual(before);
  });

  it("is of a module's own deliveries only", async () => {
    const { track, edit, register, id } = await tracking();
    const own = [{ deliveryId: "d-1", trackNumber: "T2" }];
    expect((await track(own, "n")).body).toEqual({ success: false, errorMsg: "Not found" });
    await register({ code: "n", integrations: { delivery: {} } });
    expect((await track(own, "n")).body.errors).toEqual({ "[0].deliveryId": "Delivery with id d-1 not found." });
    await edit(id, { delivery: { code: "parcel", data: { externalId: "d-1" } } });
    expect((await track(own)).body.errors).toEqual({ "[0].deliveryId": "Delivery with id d-1 not found." });
  });

  it("takes any status of a module that has named none", async () => {
    const { track, register, data } = await tracking();
    await register({ integrations: { delivery: {} } });
    expect((await track([{ deliveryId: "d-1", history: [{ code: "afloat" }] }])).status).toBe(200);
    expect(await data()).toMatchObject({ status: "afloat" });
    expect(await data()).not.toHaveProperty("statusText");
  });

  it("needs delivery_write", async () => {
    const { json, crm } = await delivering();
    await json("POST", "/sandbox/keys", { key: "reader", scopes: ["delivery_read", "order_write"] });
    expect((await crm("POST", path("m"), { statusUpdate: "[]" }, "reader")).status).toBe(403);
    expect((await crm("POST", path("m"), { statusUpdate: "[]" })).status).toBe(200);
  });
});
