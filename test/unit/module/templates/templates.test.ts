import type { Call } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import { describe, expect, it } from "vitest";
import { postOffice, templateOf } from "../../../support/post-office.ts";
import { until } from "../../../support/until.ts";
import { officeOf } from "../../../system/contract/toy/letters.ts";

type Office = Awaited<ReturnType<typeof postOffice>>;
const codes = (office: Office) => Object.keys(office.atGateway()).sort();
/** Answers calls about templates while `broken` says so. */
function faulty() {
  const faults: { of?: (method: string, path: string) => { status: number; body: object } | undefined } = {};
  const call =
    (real: Call): Call =>
    async (request) => {
      const path = new URL(request.url).pathname;
      const fault = path.includes("/templates") ? faults.of?.(request.method, path) : undefined;
      if (!fault) return real(request);
      const bytes = Buffer.from(JSON.stringify(fault.body));
      return { type: "answer", status: fault.status, headers: { "content-type": "application/json" }, bytes };
    };
  return { faults, call };
}
const synced = (office: Office, ...wanted: string[]) =>
  until(`the templates ${wanted}`, () => codes(office).join() === wanted.sort().join());

describe("the gateway's templates", () => {
  it("are made like the messenger's after connecting: created, changed and deleted, and only what differs", async () => {
    const office = await postOffice({ templates: [templateOf("a#en"), templateOf("b/c?#es", { language: "es" })] });
    await synced(office, "a#en", "b/c?#es");
    await office.synchronise();
    expect(office.written()).toEqual(["activateTemplate", "activateTemplate"]);

    const { templates } = office.office;
    templates.delete("a#en");
    templates.set("d", templateOf("d", { header: { type: "image" }, footer: "The shop" }));
    Object.assign(templates.get("b/c?#es") ?? {}, { status: "paused", quality: "low" });
    await office.synchronise();
    expect(office.written().slice(2).sort()).toEqual(["activateTemplate", "deactivateTemplate", "updateTemplate"]);
    expect(office.atGateway()).toMatchObject({
      "b/c?#es": { enabled: false, body: { verification_status: "paused", quality: "low" } },
      d: { type: "media", enabled: true, body: { footer: "The shop" } },
    });
    expect(office.sandbox.calls.entries(true)).toEqual([]);
  });

  it("cannot be sent by agents where its messenger's needs more than the gateway has; the page says what", async () => {
    const unusable = "the CRM's chats cannot fill in its code";
    const office = await postOffice({ templates: [templateOf("a", { unusable }), templateOf("b")] });
    await synced(office, "a", "b");
    expect(office.atGateway()).toMatchObject({
      a: { enabled: false, body: { verification_status: "disabled" } },
      b: { enabled: true, body: { verification_status: "approved" } },
    });
    await office.synchronise();
    expect(office.written()).toEqual(["activateTemplate", "activateTemplate"]);
    for (const [language, words] of [
      ["en", "It cannot be sent from the CRM: "],
      ["es", "No se puede enviar desde el CRM: "],
      ["ru", "Из CRM его отправить нельзя: "],
    ] as const)
      expect((await office.look(language)).split(words)).toHaveLength(2);
    const { templates } = office.office;
    templates.set("a", templateOf("a"));
    await office.synchronise();
    expect(office.atGateway().a?.enabled).toBe(true);
    expect(await office.look()).not.toContain("It cannot be sent");
  });

  it("loses a header that its template has lost, under the same code", async () => {
    const office = await postOffice({ templates: [templateOf("a", { header: { type: "text", text: "Hi" } })] });
    await synced(office, "a");
    office.office.templates.set("a", templateOf("a"));
    await office.synchronise();
    expect(office.atGateway().a?.body).not.toHaveProperty("header");
    await office.synchronise();
    expect(office.written()).toEqual(["activateTemplate", "deactivateTemplate", "activateTemplate"]);
  });

  it("of another channel are left alone", async () => {
    const office = await postOffice({ templates: [templateOf("a")] });
    await synced(office, "a");
    officeOf("south").templates.set("s", templateOf("s"));
    await office.add("South", "south");
    const other = [...office.sandbox.world.channels.keys()].at(-1);
    await until("the other's", () => Object.keys(office.atGateway(other)).join() === "s");
    office.office.templates.clear();
    await office.synchronise();
    expect([codes(office), Object.keys(office.atGateway(other))]).toEqual([[], ["s"]]);
  });

  it("follow the messenger's review, and a change that somebody made at the messenger", async () => {
    const office = await postOffice({ templates: [templateOf("a", { status: "pending" })] });
    await synced(office, "a");
    await office.reviews("a", { status: "rejected", rejection: "incorrect_category" });
    await until("the rejection", () => office.atGateway().a?.body.rejection_reason === "incorrect_category");
    await until("the page", async () => (await office.look("es")).includes("No corresponde a su categoría."));
  });

  it("are asked for by one run at a time, and every request is followed by a run", async () => {
    const office = await postOffice();
    let under = 0;
    let most = 0;
    const run = Promise.withResolvers<void>();
    office.office.before = async (verb) => {
      if (verb !== "list") return;
      under += 1;
      run.resolve();
      most = Math.max(most, under);
      await new Promise((resolve) => setTimeout(resolve, 30));
      under -= 1;
    };
    const first = office.synchronise();
    await run.promise;
    office.office.templates.set("late", templateOf("late"));
    await Promise.all([first, office.synchronise(), office.synchronise(), office.reviews("late", {})]);
    await synced(office, "late");
    expect(most).toBe(1);
  });

  it("are completed by themselves after the gateway was away in the middle, and the page says so meanwhile", async () => {
    const { faults, call } = faulty();
    const office = await postOffice({ call });
    for (const code of ["a", "b", "c"]) office.office.templates.set(code, templateOf(code));
    let made = 0;
    faults.of = (method) => {
      if (method !== "POST") return undefined;
      made += 1;
      return made > 1 ? { status: 502, body: { errors: ["down"] } } : undefined;
    };
    await office.synchronise();
    expect(codes(office)).toHaveLength(1);
    expect(await office.look()).toMatch(/role="alert">[^<]*the last synchronisation failed\. [^<]*502/);
    faults.of = undefined;
    await synced(office, "a", "b", "c");
    await until("the page", async () => !(await office.look()).includes("the last synchronisation failed"));
    expect(office.written().filter((each) => each === "activateTemplate")).toHaveLength(3);
  });

  it("lack only the one that the gateway refuses, which the page names", async () => {
    const { faults, call } = faulty();
    const office = await postOffice({ call });
    faults.of = (method, path) =>
      method === "PUT" && path.endsWith("/b") ? { status: 400, body: { errors: ["too long"] } } : undefined;
    for (const code of ["a", "b", "c"]) office.office.templates.set(code, templateOf(code));
    await office.synchronise();
    for (const template of office.office.templates.values()) template.body = "Another text";
    await office.synchronise();
    expect(Object.values(office.atGateway()).map(({ body }) => body.body)).toEqual([
      ...["Another text", templateOf("b").body, "Another text"],
    ]);
    expect(await office.look("ru")).toContain("Чаты CRM не приняли b: ");
  });

  it("are not written again and again where the gateway keeps its own idea of them", async () => {
    const { faults, call } = faulty();
    const office = await postOffice({ call, templates: [templateOf("a")] });
    await synced(office, "a");
    faults.of = (method, path) => {
      if (method !== "GET" || !path.endsWith("/templates")) return undefined;
      const { id, body } = office.atGateway().a ?? { id: 0, body: {} };
      const own = {
        ...body,
        category: "service",
        id,
        channel_id: office.channel,
        code: "a",
        type: "text",
        enabled: true,
      };
      return { status: 200, body: [own] };
    };
    for (let n = 0; n < 4; n++) await office.synchronise();
    expect(office.written().filter((each) => each === "updateTemplate")).toHaveLength(1);
  });

  it("stay as they are while the messenger does not answer, and the page says why in its language", async () => {
    const office = await postOffice({ templates: [templateOf("a")] });
    await synced(office, "a");
    office.office.before = async () => {
      throw new DeliveryError({ type: "reject", code: "general" }, "nothing could be sent");
    };
    const failed = await office.synchronise();
    expect(failed.headers.get("location")).not.toContain("done=");
    expect(codes(office)).toEqual(["a"]);
    expect(await office.look("es")).toContain("la última sincronización falló. No se pudo enviar nada.");
    office.office.before = undefined;
    const done = await office.synchronise();
    expect(done.headers.get("location")).toContain("done=synchronised");
    expect(await office.look()).toMatch(/Last synchronised: [^<]+\d{4}/);
  });
});

describe("the CRM's button for templates", () => {
  it("is registered, and brings every channel's templates of the account that it names", async () => {
    const office = await postOffice();
    const { registration } = office.sandbox.world.modules.get("gangway") ?? {};
    expect(registration?.integrations.mgTransport?.actions).toEqual({
      manualTemplatesSync: "/actions/manual-templates-sync",
    });
    await until("the first run", async () => (await office.look()).includes("Last synchronised"));
    office.office.templates.set("a", templateOf("a"));
    const ask = async (clientId: string) =>
      (
        await office.ask("/actions/manual-templates-sync", { method: "POST", body: new URLSearchParams({ clientId }) })
      ).json();
    expect(await ask("a stranger")).toEqual({ success: false });
    expect(await ask(office.clientId)).toEqual({ success: true });
    await synced(office, "a");
  });

  it("causes no more than a run in some seconds, whoever repeats its request", async () => {
    const office = await postOffice();
    await until("the first run", () => office.office.calls.includes("list"));
    const runs = () => office.office.calls.filter((each) => each === "list").length;
    const began = office.clock.monotonic();
    const body = () => new URLSearchParams({ clientId: office.clientId });
    for (let n = 0; n < 20; n++) await office.ask("/actions/manual-templates-sync", { method: "POST", body: body() });
    await until("the run that was asked for", () => runs() >= 2);
    // A slow machine has time for more: one in ten seconds.
    expect(runs()).toBeLessThanOrEqual(2 + (office.clock.monotonic() - began) / 10_000);
  });
});
