import { describe, expect, it } from "vitest";
import { DEFAULT_UNKNOWNS, setUnknowns, UNKNOWN_FIELDS, VARIANTS } from "../../src/unknowns.ts";
import { account, bot, chatting, module, moduleServer, type Received, until } from "./account.ts";

const taken = ({ text }: Received) => ({ external_message_id: `t${JSON.parse(text).data.id}` });

describe("the unknowns", () => {
  it("are set by JSON; a wrong one is named and changes nothing", async () => {
    const { set, json } = account();
    expect((await set({ repeatedAck: "refuse" })).body).toMatchObject({ repeatedAck: "refuse" });
    const wrong = await set({ repeatedAck: "perhaps", weather: 1 });
    expect(wrong.status).toBe(400);
    expect(wrong.body.errors[0]).toMatch(/repeatedAck[\s\S]*|weather/);
    expect((await json("GET", "/sandbox/settings")).body).toMatchObject({ repeatedAck: "refuse" });
  });

  it("each have a default, a description and a variant that differs from it", () => {
    expect(UNKNOWN_FIELDS.map(({ name }) => name)).toEqual(Object.keys(DEFAULT_UNKNOWNS));
    for (const { name, description } of UNKNOWN_FIELDS) {
      expect(description).not.toBe("");
      const variants = VARIANTS.filter((variant) => name in variant);
      expect(variants.length, name).toBeGreaterThan(0);
      for (const variant of variants) expect(setUnknowns(DEFAULT_UNKNOWNS, variant)).not.toEqual(DEFAULT_UNKNOWNS);
    }
  });

  it("webhookRetryForMs: retries for this long, or never", async () => {
    const { say, message, edit, server } = await chatting({}, { webhookRetryForMs: 0 });
    await edit(module({ baseUrl: server.url, integrations: { mgTransport: { webhookUrl: "http://127.0.0.1:9/" } } }));
    const { body } = await say("hi");
    await until(() => message(body.message_id)?.error?.code === "network_error");
    expect(server.received).toEqual([]);
  });

  it("webhookRetryForMs: counts from the event, queueing included", async () => {
    const { say, message, edit, server, jump } = await chatting({}, { webhookRetryForMs: 60_000 });
    await edit(module({ baseUrl: server.url, integrations: { mgTransport: { webhookUrl: "http://127.0.0.1:9/" } } }));
    const ids: unknown[] = [];
    for (const text of ["a", "b", "c"]) ids.push((await say(text)).body.message_id);
    await jump(61_000);
    await until(() => ids.every((id) => message(id)?.error?.code === "network_error"));
  });

  it("webhookTimeoutMs: a slower answer does not count", async () => {
    const settings = { webhookRetryForMs: 0, webhookTimeoutMs: 50 };
    const slow = () => new Promise(() => {});
    const { say, message } = await chatting({}, settings, slow);
    const { body } = await say("hi");
    await until(() => message(body.message_id)?.error?.code === "network_error");
  });

  it.each(["object", "text"])("webhookData: %s", async (webhookData) => {
    const { say, message, server, faults } = await chatting({}, { webhookData }, ({ text }) => {
      const { data } = JSON.parse(text);
      return { external_message_id: `t${(typeof data === "string" ? JSON.parse(data) : data).id}` };
    });
    const { body } = await say("hi");
    await until(() => message(body.message_id)?.status === "received");
    const { data } = JSON.parse(server.received[0]?.text ?? "");
    expect(typeof data).toBe(webhookData === "text" ? "string" : "object");
    expect(faults()).toEqual([]);
  });

  it("rateWindow: a fixed window restarts with the second, a sliding one does not", async () => {
    const burst = async (rateWindow: string) => {
      const { edit, transport, wait } = account({ rateWindow });
      await edit(module());
      wait(900);
      for (let n = 0; n < 30; n++) await transport("GET", "/channels");
      wait(200);
      return (await transport("GET", "/channels")).status;
    };
    expect([await burst("sliding"), await burst("fixed")]).toEqual([429, 200]);
  });

  it("refusedCount: a caller that never slows down is always refused, or not", async () => {
    const answered = async (refusedCount: boolean) => {
      const { edit, transport, wait } = account({ refusedCount });
      await edit(module());
      let ok = 0;
      for (let n = 0; n < 120; n++) {
        if ((await transport("GET", "/channels")).status === 200) ok += 1;
        wait(25);
      }
      return ok;
    };
    expect([await answered(true), await answered(false)]).toEqual([30, 90]);
  });

  it.each([
    [{}, "http://sandbox/api/transport/v1/"],
    [{ endpointSlash: false }, "http://sandbox/api/transport/v1"],
    [{ endpointPath: false }, "http://sandbox/"],
    [{ endpointPath: false, endpointSlash: false }, "http://sandbox"],
  ])("endpointPath and endpointSlash: %j", async (settings, expected) => {
    const { body } = await account(settings).edit(module());
    expect((body.info as { mgTransport: { endpointUrl: string } }).mgTransport.endpointUrl).toBe(expected);
  });

  it("duplicateText: the error text for a known external_id", async () => {
    const text = "message with passed external_id already exists";
    const { post } = await chatting({}, { duplicateText: text });
    expect((await post("x", {}, { external_id: "m1" })).body.errors).toEqual([text]);
  });

  it.each([
    [{}, [200, 201, 200, 200]],
    [{ moduleStatus: 201, channelStatus: 200, templateStatus: 201 }, [201, 200, 201, 200]],
  ])("moduleStatus, channelStatus and templateStatus: %j", async (unknowns, statuses) => {
    const { edit, transport } = account(unknowns);
    const registered = await edit(module());
    const channel = await transport("POST", "/channels", { type: "custom" });
    const path = `/channels/${channel.body.id}/templates`;
    const template = { code: "t", name: "T", type: "text", template: ["Hi"] };
    // Known ones are changed, not created.
    const answers = [
      registered,
      channel,
      await transport("POST", path, template),
      await transport("POST", path, template),
    ];
    expect(answers.map(({ status }) => status)).toEqual(statuses);
  });

  it.each([
    ["object", "{}"],
    ["nothing", ""],
  ])("emptySuccess: %s", async (emptySuccess, text) => {
    const { sandbox, transport, tokenOf, channel, say, message } = await chatting({}, { emptySuccess }, taken);
    const headers = { "x-transport-token": tokenOf("m"), "content-type": "application/json" };
    const ask = async (method: string, path: string, body: object) => {
      const init = { method, headers, body: JSON.stringify(body) };
      const answer = await sandbox.fetch(new Request(`http://sandbox/api/transport/v1${path}`, init), {});
      return [answer.status, await answer.text()];
    };
    const { body } = await say("hi");
    await until(() => message(body.message_id)?.status === "received");
    const edit = { channel, message: { external_id: "m1", text: "x" } };
    const read = { channel_id: channel, message: { id: body.message_id } };
    const template = { code: "t", name: "T", type: "text" };
    const answers = [
      await ask("PUT", "/messages", edit),
      await ask("POST", "/messages/read", read),
      await ask("POST", "/messages/ack", { channel, message: { id: body.message_id } }),
      await ask("POST", `/channels/${channel}/templates`, template),
      await ask("PUT", `/channels/${channel}/templates/t`, template),
      await ask("DELETE", `/channels/${channel}/templates/t`, {}),
    ];
    expect(answers).toEqual(answers.map(() => [200, text]));
    // Answers with content and refusals keep their body.
    expect((await transport("GET", "/channels")).body).toHaveLength(1);
    expect((await transport("PUT", "/messages", { channel })).body.errors).toHaveLength(1);
    expect(sandbox.calls.entries(true)).toHaveLength(1);
    expect(sandbox.calls.entries().findLast(({ operation }) => operation === "ackMessage")?.answer).toBe(text);
  });

  it.each([
    ["refuse", [400, 400, 400, 400, 400, 400, 400, 400, 400]],
    ["accept", [200, 200, 200, 200, 200, 200, 200, 200, 200]],
  ])("unannounced: %s", async (unannounced, statuses) => {
    const text = { creating: "both", max_chars_count: 5 };
    const file = { creating: "both", max_item_size: 1, note_max_chars_count: 1, max_items_count: 1 };
    const none = { image: {}, order: {}, product: {}, status: {} };
    const own = await chatting({ ...none, text, file }, { unannounced }, taken);
    const { post, transport, channel, say, world, sandbox } = own;
    const upload = async () => (await own.upload(new Uint8Array([1, 2]))).id;
    const said = (await say("hi")).body.message_id;
    await until(() => own.message(said)?.status === "received");
    const message = { external_id: "m1" };
    const item = { id: await upload() };
    const answers = [
      await post("longer than five"),
      await post("", {}, { type: "image", items: [item] }),
      await post("", {}, { type: "file", items: [item, { id: await upload() }], note: "two" }),
      await post("", {}, { type: "product", product: { id: 1, name: "P" } }),
      await post("quote", { quote: message }),
      await transport("PUT", "/messages", { channel, message: { ...message, text: "longer than five" } }),
      await transport("POST", "/messages/reaction", { channel, message, reaction: "👍" }),
      await transport("POST", "/messages/read", { channel_id: channel, message: { id: said } }),
      await transport("DELETE", "/messages", { channel, message }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    // Agents are bound either way; empty texts and missing files stay refused.
    const others = [
      await say("longer than five"),
      await post(" "),
      await post("", {}, { type: "file", items: [{ id: crypto.randomUUID() }] }),
    ];
    expect(others.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(world.messages.filter(({ from }) => from.type === "customer")).toHaveLength(
      unannounced === "accept" ? 6 : 1,
    );
    expect(sandbox.calls.entries(true)).toEqual([]);
  });

  it.each([
    ["each", ["m1", "m2", "m3"]],
    ["last", ["m3"]],
  ])("readWebhooks: %s", async (readWebhooks, read) => {
    const { post, asAgent, chat, server, world } = await chatting({}, { readWebhooks }, taken);
    for (const external_id of ["m2", "m3"]) await post("x", {}, { external_id });
    // A message without an external id.
    await post("nameless");
    expect((await asAgent("POST", `/chats/${chat}/read`)).body).toEqual({ read: 4 });
    const received = () =>
      server.received.map(({ text }) => JSON.parse(text)).filter(({ type }) => type === "message_read");
    await until(() => received().length === read.length);
    await asAgent("POST", `/chats/${chat}/read`);
    expect(received().map(({ data }) => data.external_message_id)).toEqual(read);
    expect(world.messages.map(({ status }) => status)).toEqual(["seen", "seen", "seen", "seen"]);
  });

  it.each([
    ["overwrite", 200, "failed"],
    ["ignore", 200, "received"],
    ["refuse", 400, "received"],
  ])("repeatedAck: %s", async (repeatedAck, status, end) => {
    const { say, message, transport, channel } = await chatting({}, { repeatedAck }, () => ({ async: true }));
    const id = (await say("hi")).body.message_id;
    await until(() => message(id)?.status === "sent");
    const ack = { channel, message: { id } };
    await transport("POST", "/messages/ack", { ...ack, transport_message_id: "t" });
    const error = { code: "general", message: "no" };
    expect((await transport("POST", "/messages/ack", { ...ack, error })).status).toBe(status);
    expect(message(id)?.status).toBe(end);
  });

  it.each([
    ["none", "  <b> & co  "],
    ["trim", "<b> & co"],
    ["trim+escape", "&lt;b&gt; &amp; co"],
  ])("normalize: %s", async (normalize, kept) => {
    const { post, world } = await chatting({}, { normalize });
    await post("  <b> & co  ");
    expect(world.messages.at(-1)?.text).toBe(kept);
  });

  it("deleteAnswer: the deleted message or the one before", async () => {
    const answer = async (deleteAnswer: string) => {
      const { post, transport, channel } = await chatting({}, { deleteAnswer });
      await post("second", {}, { external_id: "m2" });
      return (await transport("DELETE", "/messages", { channel, message: { external_id: "m2" } })).body.content;
    };
    expect([await answer("deleted"), await answer("previous")]).toEqual(["second", "hello"]);
  });

  it("accountPage: the account page opens in a tab or in a frame", async () => {
    const page = async (accountPage: string) => {
      const { sandbox, edit } = account({ accountPage });
      await edit(module({ accountUrl: "http://m.example/account" }));
      return (await sandbox.fetch(new Request("http://sandbox/"), {})).text();
    };
    expect(await page("tab")).toContain('target="_blank"');
    expect(await page("iframe")).toContain("<iframe");
  });

  it("activityOnShutdown: an account switch calls the modules, or does not", async () => {
    const received = async (activityOnShutdown: boolean) => {
      const server = await moduleServer();
      const { edit, switches } = account({ activityOnShutdown });
      await edit(module({ baseUrl: server.url, actions: { activity: "/a" } }));
      await switches({ gatewayOn: false });
      if (activityOnShutdown) await until(() => server.received.length > 0);
      return server.received.length;
    };
    expect([await received(false), await received(true)]).toEqual([0, 1]);
  });

  it.each([
    ["accept", 200],
    ["refuse", 401],
  ])("disabledModule: %s", async (disabledModule, status) => {
    const { edit, transport, switches } = account({ disabledModule });
    await edit(module());
    await switches({ gatewayOn: false });
    expect((await transport("GET", "/channels")).status).toBe(status);
  });

  it("endpointInModule: reading the module returns endpointUrl, or does not", async () => {
    const address = async (endpointInModule: boolean) => {
      const { edit, read } = account({ endpointInModule });
      await edit(bot());
      return (await read("b")).integrations.mgBot?.endpointUrl;
    };
    expect([await address(false), await address(true)]).toEqual([undefined, "http://sandbox/api/bot/v1/"]);
  });

  it.each([429, 503])("crmPerSecond and crmTooMany: beyond it the CRM answers %i", async (crmTooMany) => {
    const { crm } = account({ crmPerSecond: 1, crmTooMany });
    const answers = [await crm("GET", "/api/credentials"), await crm("GET", "/api/credentials")];
    expect(answers.map(({ status }) => status)).toEqual([200, crmTooMany]);
    expect(answers[1]?.body).toEqual({ success: false, errorMsg: "Rate limit exceeded" });
  });

  it("crmPerSecond: a key has ten calls a second, as the service's own client keeps", async () => {
    const { crm, wait, json } = account(DEFAULT_UNKNOWNS);
    const statusOf = async (key?: string) => (await crm("GET", "/api/credentials", undefined, key)).status;
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) statuses.push(await statusOf());
    expect(statuses).toEqual([...Array(10).fill(200), 503]);
    await json("POST", "/sandbox/keys", { key: "other", scopes: [] });
    expect(await statusOf("other")).toBe(200);
    wait(1_001);
    expect(await statusOf()).toBe(200);
  });

  it.each([
    ["accept", [200, 201, 200]],
    ["refuse", [403, 403, 403]],
  ])("corporateOff: %s", async (corporateOff, statuses) => {
    const { crm, submit, switches } = account({ corporateOff });
    const answers = async () => {
      const create = () => submit("/api/v5/customers-corporate/create", { customerCorporate: { nickName: "Firm" } });
      const list = (rest = "") => crm("GET", `/api/v5/customers-corporate${rest}`);
      return [(await list()).status, (await create()).status, (await list("/notes")).status];
    };
    expect(await answers()).toEqual(statuses);
    await switches({ corporateOn: true });
    expect(await answers()).toEqual([200, 201, 200]);
  });

  it("corporateHistory: the field with the customer", async () => {
    const fields = async (corporateHistory: string) => {
      const { crm, submit } = account({ corporateHistory });
      await submit("/api/v5/customers-corporate/create", { customerCorporate: { nickName: "Firm" } });
      const [entry] = (await crm("GET", "/api/v5/customers-corporate/history")).body.history as object[];
      return Object.keys(entry ?? {}).filter((field) => /customer/i.test(field));
    };
    expect([await fields("customer"), await fields("corporateCustomer")]).toEqual([
      ["customer"],
      ["corporateCustomer"],
    ]);
  });

  it.each([
    ["refuse", 400, { errors: { "children[orderTypes]": "This value is not valid." } }],
    ["nothing", 200, { orders: [] }],
  ])("filterEntries: %s", async (filterEntries, status, body) => {
    const { crm } = account({ filterEntries });
    const asked = (query: string) => crm("GET", `/api/v5/orders?${query}`);
    expect(await asked("filter[orderTypes][]=main&filter[orderTypes][]=gold")).toMatchObject(
      filterEntries === "refuse" ? { status, body } : { status, body: { pagination: { totalCount: 2 } } },
    );
    expect(await asked("filter[orderTypes][]=gold")).toMatchObject({ status, body });
    const known = ["orderTypes][]=main", "extendedStatus][]=new-group", "extendedStatus][]=cancel", "sites][]=shop"];
    for (const filter of known) expect((await asked(`filter[${filter}`)).status).toBe(200);
    for (const filter of ["extendedStatus][]=gold-group", "couriers][]=77", "shipmentStores][]=moon"])
      expect((await asked(`filter[${filter}`)).status).toBe(status);
  });

  it.each(["refuse", "ignore"])("removedFields: %s", async (removedFields) => {
    const { crm, submit, faults } = account({ removedFields });
    const words = (instead: string) => `removed in version 5, use ${instead}`;
    const [customers, orders] = ["/api/v5/customers", "/api/v5/orders"];
    const customer = { externalId: "ann", firstName: "Ann", commentary: "Pays late" };
    const order = {
      externalId: "o1",
      firstName: "Ann",
      paymentType: "cash",
      items: [{ productName: "A knot", discount: 1 }],
    };
    const payment = words("POST /api/v5/orders/payments/create");
    const note = words("POST /api/v5/customers/notes/create");
    const calls: [path: string, form: Record<string, unknown>, errors: unknown][] = [
      [`${customers}/create`, { customer }, { commentary: note }],
      [`${customers}/upload`, { customers: [{ ...customer, externalId: "bob" }] }, { commentary: note }],
      [`${orders}/create`, { order }, { paymentType: payment }],
      [`${orders}/upload`, { orders: [{ ...order, externalId: "o2" }] }, [`paymentType: ${payment}`]],
      [`${orders}/5001/edit`, { by: "id", order: { discount: 5 } }, { discount: words("discountManualAmount") }],
    ];
    for (const [path, form, errors] of calls) {
      const { status, body } = await submit(path, form);
      expect([path, status < 300, body.errors]).toEqual([
        path,
        removedFields === "ignore",
        removedFields === "refuse" ? errors : undefined,
      ]);
    }
    // An unknown field is ignored either way.
    const plain = { externalId: "cat", firstName: "Cat", mood: "good" };
    expect((await submit(`${customers}/create`, { customer: plain })).status).toBe(201);
    const shown = await crm("GET", `${removedFields === "ignore" ? `${customers}/ann` : `${customers}/cat`}`);
    expect(shown.status).toBe(200);
    for (const field of ["commentary", "mood"]) expect(shown.body.customer).not.toHaveProperty(field);
    expect((await crm("GET", `${orders}/5001?by=id`)).body.order).not.toHaveProperty("discount");
    expect(faults()).toEqual([]);
  });

  it.each([
    ["objects", [{ name: "pays", attached: false }]],
    ["texts", ["pays"]],
  ])("corporateTags: %s", async (corporateTags, tags) => {
    const { crm, submit, switches, faults } = account({ corporateTags });
    const customer = { externalId: "firm", addTags: ["pays"], contragent: { contragentType: "legal-entity" } };
    await submit("/api/v5/customers/create", { customer });
    await switches({ corporateOn: true });
    expect((await crm("GET", "/api/v5/customers-corporate/firm")).body.customerCorporate).toMatchObject({ tags });
    expect(faults()).toEqual([]);
  });

  it.each([true, false])("firstCompanyMain: %s", async (firstCompanyMain) => {
    const { crm, submit } = account({ firstCompanyMain });
    const customerCorporate = { externalId: "firm", companies: [{ name: "First" }, { name: "Second" }] };
    await submit("/api/v5/customers-corporate/create", { customerCorporate });
    const { companies } = (await crm("GET", "/api/v5/customers-corporate/firm/companies")).body;
    expect(companies).toMatchObject([{ isMain: firstCompanyMain }, { isMain: false }]);
  });

  it("waitingWarningMs and waitingDangerMs: how an unanswered chat is shown", async () => {
    const { asUser, jump, say } = await chatting({}, { waitingWarningMs: 1_000, waitingDangerMs: 5_000 }, taken);
    const level = async () =>
      ((await asUser("GET", "/chats")).body as unknown as { waiting_level: string }[])[0]?.waiting_level;
    const levels = [await level()];
    for (const ms of [1_001, 4_001]) {
      await jump(ms);
      levels.push(await level());
    }
    await say("at last");
    expect([...levels, await level()]).toEqual(["none", "warning", "danger", "none"]);
  });
});
