import { describe, expect, it } from "vitest";
import type { Json } from "../../src/spec.ts";
import { account } from "./account.ts";
import { describeList } from "./list-promises.ts";

/** Alex, who owns the account, and Sam, who is busy, away, switched off and a director. */
async function staff() {
  const own = account();
  own.wait(1_000);
  await own.json("POST", "/sandbox/agents", { first_name: "Sam" });
  await own.crm("POST", "/api/v5/users/2/status", { status: "busy" });
  const sam = [...own.world.users.values()][1];
  if (sam) Object.assign(sam, { online: false, active: false, groups: ["director"] });
  return own;
}

describe("a user", () => {
  it("is an agent of the chats, with the groups", async () => {
    const { crm, world, faults } = await staff();
    const [alex] = [...world.users.values()];
    expect((await crm("GET", "/api/v5/users/1")).body).toEqual({
      success: true,
      user: {
        id: 1,
        createdAt: "2026-05-01 10:00:00",
        active: true,
        email: "alex.agent@quay.example",
        firstName: "Alex",
        lastName: "Agent",
        status: "free",
        online: true,
        isAdmin: true,
        isManager: true,
        groups: [
          { id: 1, name: "Managers", code: "manager" },
          { id: 2, name: "Directors", code: "director" },
        ],
        mgUserId: alex?.id,
      },
    });
    expect((await crm("GET", "/api/v5/users/2")).body.user).not.toHaveProperty("lastName");
    expect(faults()).toEqual([]);
  });

  it("that does not exist has neither fields nor a status", async () => {
    const { crm } = await staff();
    const none = { status: 404, body: { success: false, errorMsg: "Not found" } };
    expect(await crm("GET", "/api/v5/users/7")).toEqual(none);
    expect(await crm("POST", "/api/v5/users/7/status", { status: "busy" })).toEqual(none);
  });

  it.each(["free", "busy", "dinner", "break"])(
    '"/api/v5/users/{id}/status … Changes the status of a user, to synchronise with an external system such as telephony.": %s',
    async (status) => {
      const { crm, world, faults } = await staff();
      expect((await crm("POST", "/api/v5/users/1/status", { status })).body).toEqual({ success: true });
      expect((await crm("GET", "/api/v5/users/1")).body.user).toMatchObject({ status });
      expect((await crm("GET", "/api/v5/users/2")).body.user).toMatchObject({ status: "busy" });
      expect([...world.users.values()][0]).toMatchObject({ status, available: status === "free" });
      expect(faults()).toEqual([]);
    },
  );

  it("has no other status", async () => {
    const { crm } = await staff();
    expect((await crm("POST", "/api/v5/users/1/status", { status: "asleep" })).status).toBe(400);
    expect((await crm("GET", "/api/v5/users/1")).body.user).toMatchObject({ status: "free" });
  });

  it("needs user_read to be read and user_write to be changed", async () => {
    const { crm, json } = await staff();
    await json("POST", "/sandbox/keys", { key: "reader", scopes: ["user_read"] });
    for (const path of ["users", "users/1", "user-groups"])
      expect((await crm("GET", `/api/v5/${path}`, undefined, "reader")).status).toBe(200);
    expect((await crm("POST", "/api/v5/users/1/status", { status: "busy" }, "reader")).status).toBe(403);
  });
});

describeList({
  path: "/api/v5/users",
  many: "users",
  prepare: staff,
  found: () => ({
    "email]=alex.agent@quay.example": [1],
    "status]=busy": [2],
    "online]=0": [2],
    "active]=1": [1],
    "isManager]=1": [1],
    "isPosManager]=0": [2],
    "isAdmin]=1": [1],
    "groups][]=director": [1, 2],
    "groups][0]=manager": [1],
    "createdAtFrom]=2026-05-01 10:00:01": [2],
    "createdAtTo]=2026-05-01 10:00:00": [1],
  }),
  recorded: { active: { active: "The value you selected is not a valid choice." } },
});

it("user groups are listed with what they may", async () => {
  const { crm, faults } = await staff();
  const { groups, pagination } = (await crm("GET", "/api/v5/user-groups?limit=20")).body as unknown as Record<
    string,
    Json[]
  >;
  expect(groups?.map(({ code, isManager }) => [code, isManager])).toEqual([
    ["manager", true],
    ["director", false],
  ]);
  expect(pagination).toMatchObject({ totalCount: 2 });
  expect(faults()).toEqual([]);
  expect((await crm("GET", "/api/v5/user-groups?limit=30")).status).toBe(400);
});

it("settings follow the account and the defaults of its dictionaries", async () => {
  const { crm, json, submit, faults } = account();
  const settings = async () => (await crm("GET", "/api/v5/settings")).body.settings as Json;
  expect(await settings()).toEqual({
    default_currency: { value: "EUR" },
    system_language: { value: "en" },
    timezone: { value: "Europe/Malta" },
    work_times: expect.arrayContaining([expect.objectContaining({ day_type: "Monday", start_time: "09:00" })]),
    mg: {
      order_creation: { default: { site: "shop", order_type: "main", order_method: "shopping-cart" }, channels: [] },
    },
  });
  await json("POST", "/sandbox/language", { language: "es", timeZone: "Europe/Madrid" });
  await submit("/api/v5/reference/order-methods/phone/edit", { orderMethod: { defaultForCrm: true } });
  expect(await settings()).toMatchObject({
    system_language: { value: "es" },
    timezone: { value: "Europe/Madrid" },
    mg: { order_creation: { default: { order_method: "phone" } } },
  });
  expect(faults()).toEqual([]);
});
