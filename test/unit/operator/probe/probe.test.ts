import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "gangway-messenger/call";
import { describe, expect, it } from "vitest";
import type { PlacedRows } from "../../../../sandbox/src/crm/resource/rows.ts";
import { SANDBOX_KEY } from "../../../../sandbox/src/crm/rights.ts";
import { runCommand } from "../../../../src/operator/run.ts";
import { agentAt, CODE, type Probed, probedAccount, probing, stillAccount } from "../../../support/probe.ts";
import { temporaryFolder } from "../../../support/store.ts";

const GATEWAY_STEPS = ["--only", "messages,disabled"];

const stateOf = ({ sandbox: { world } }: Awaited<ReturnType<typeof probedAccount>>) => ({
  channels: [...world.channels.values()].map(({ active }) => active),
  module: world.modules.get(CODE)?.active,
});

describe("consent", () => {
  it("is needed: with nobody at the terminal nothing is asked of the account", async () => {
    const account = await probedAccount();
    let err = "";
    const args = ["probe", "--crm", account.origin, "--key-file", "none", "--out", temporaryFolder()];
    const complain = (text: string) => {
      err += text;
    };
    const code = await runCommand(args, { env: { SANDBOX: "1" }, write: () => {}, complain });
    expect([code, err]).toEqual([2, expect.stringContaining("--yes agrees to all")]);
    expect(account.sandbox.calls.entries()).toEqual([]);
  });

  it("is no: nothing is asked of the account, and nothing is written", async () => {
    const account = await probedAccount();
    const person = { ...agentAt(account), answers: async () => "" };
    const { ok, text, files } = await probing(account, { person });
    expect([ok, text, files]).toEqual([false, ["Nobody agreed: nothing was done."], undefined]);
    expect(account.sandbox.calls.entries()).toEqual([]);
  });

  it("is asked for each step, which says what it does; a step without it is not made", async () => {
    const account = await probedAccount();
    const agent = agentAt(account);
    const asked: string[] = [];
    const answers = async (question: string) => {
      asked.push(question);
      return question.startsWith("messages") ? "n" : "y";
    };
    const probed = await probing(account, { person: { ...agent, answers }, args: GATEWAY_STEPS });
    expect(asked).toEqual(["connect? [y/N] ", "messages? [y/N] ", "disabled? [y/N] "]);
    expect(probed.told).toContain(
      "disabled: it will switch its module off, call the gateway for half a minute, and switch it on.",
    );
    expect(account.sandbox.world.messages).toEqual([]);
    const { verdict, why } = probed.unknowns.find(({ name }) => name === "duplicateText") ?? {};
    expect([verdict, why]).toEqual(["not seen", "step messages: skipped"]);
  });

  it("is given beforehand by --yes; whoever is not there to act in the CRM is skipped or waited for in vain", async () => {
    const account = await probedAccount({}, 20);
    const args = ["--yes", "--only", "messages,texts,acks", "--wait", "5"];
    const probed = await probing(account, { person: null, args });
    expect(probed.unknowns.find(({ name }) => name === "normalize")?.verdict).toBe("confirmed");
    expect(probed.unknowns.find(({ name }) => name === "markup")).toMatchObject({ verdict: "not seen" });
    const without = await probing(account, { person: null, args: [...args, "--without-agent"] });
    expect(without.told.filter((line) => line.startsWith("texts"))).toEqual([]);
  });
});

describe("what the probe touches", () => {
  it("is its own channel and module only, both off afterwards; a second probe finds them and does the same", async () => {
    const account = await probedAccount();
    const before = await others(account);
    const first = await probing(account, { args: GATEWAY_STEPS });
    expect(stateOf(account)).toEqual({ channels: [true, false], module: false });
    expect(first.left).toEqual([
      "its channel, deactivated",
      "the module gangway-probe, switched off",
      expect.stringContaining('"Gangway probe A"'),
    ]);
    // The CRM's second is over.
    await account.ask("POST", "/sandbox/clock", { jumpMs: 2_000 });
    expect((await probing(account, { args: GATEWAY_STEPS })).faults).toEqual([]);
    expect(stateOf(account)).toEqual({ channels: [true, false, false], module: false });
    expect(await others(account)).toEqual(before);
  });

  it("is no module of somebody else's that has its code", async () => {
    const account = await probedAccount();
    await others(account);
    const probed = await probing(account, { args: ["--module-code", "other"] });
    expect([probed.ok, probed.faults]).toEqual([false, [expect.stringContaining("another module of the code other")]]);
    expect(account.sandbox.world.modules.get("other")?.active).toBe(true);
    expect(probed.left).toEqual(["nothing: the module was not registered"]);
  });

  it.each([{ status: 503 }, { status: 403 }, { status: 429 }, { drop: "before" }] as const)(
    "is no module that a failed look-up has not told of: %o",
    async (fault) => {
      const account = await probedAccount();
      await others(account);
      account.sandbox.faults.plan({ operation: "getIntegrationModule", times: 1, ...fault });
      const probed = await probing(account, { args: ["--module-code", "other"] });
      expect(probed.faults).toEqual([expect.stringContaining("did not say whether it has a module of the code other")]);
      expect(account.sandbox.world.modules.get("other")).toMatchObject({
        active: true,
        registration: { name: "Other" },
      });
    },
  );

  it("is nothing when the result could not be kept", async () => {
    const account = await probedAccount();
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const { ok, text } = await probing(account, { args: ["--out", join(file, "out")] });
    expect([ok, text]).toEqual([false, [expect.stringMatching(/^--out: .*Nothing was done\.$/)]]);
    expect(account.sandbox.calls.entries()).toEqual([]);
  });

  it("plays an installation of a published module, if it is told of which", async () => {
    const account = await probedAccount();
    await probing(account, { args: ["--integration-code", "published", "--only", "crm"] });
    const { registration } = account.sandbox.world.modules.get(CODE) ?? {};
    expect([registration?.code, registration?.integrationCode]).toEqual([CODE, "published"]);
  });

  it("is taken away when it is interrupted halfway", async () => {
    const account = await probedAccount();
    const stop = new AbortController();
    const tell = (line: string) => line.includes("Is never answered") && setTimeout(() => stop.abort(), 50);
    const probed = await probing(account, {
      args: ["--only", "messages,patience,disabled"],
      interrupted: stop.signal,
      tell,
    });
    expect(stateOf(account)).toEqual({ channels: [false], module: false });
    expect([probed.ok, probed.left.length]).toEqual([false, 3]);
    expect(probed.told.join()).toContain("Interrupted");
    const report = readFileSync(probed.files[0] ?? "", "utf8");
    expect(report).toContain("### patience: interrupted");
    // What was seen by then stands.
    expect(probed.settings.normalize).toBe("trim");
  });

  it("is taken away also while its module is off, and the gateway refuses a module that is off", async () => {
    const account = await probedAccount({ disabledModule: "refuse" });
    const stop = new AbortController();
    account.sandbox.observe(({ operation, request }) => {
      if (operation === "editIntegrationModule" && JSON.stringify(request).includes('"active":false')) stop.abort();
    });
    const probed = await probing(account, { args: ["--only", "disabled"], interrupted: stop.signal });
    expect([stop.signal.aborted, probed.left[0]]).toEqual([true, "its channel, deactivated"]);
    expect(stateOf(account)).toEqual({ channels: [false], module: false });
  });

  it("is told of if it cannot be taken away", async () => {
    const account = await probedAccount();
    const tell = (line: string) =>
      line.startsWith("disabled") &&
      account.sandbox.faults.plan({ operation: "deactivateChannel", status: 502, times: 9 });
    const probed = await probing(account, { args: ["--only", "disabled"], tell: (line) => void tell(line) });
    expect(probed.left[0]).toMatch(/^THE CHANNEL IS STILL ACTIVE/);
    expect(stateOf(account)).toEqual({ channels: [true], module: false });
    account.sandbox.faults.clear();
    await account.ask("POST", "/sandbox/clock", { jumpMs: 2_000 });
    await probing(account, { args: ["--only", "disabled"] });
    expect(stateOf(account).channels).toEqual([false, false]);
  });

  it("is not taken for off when nobody knows whether its channel was opened, and the gateway does not list it", async () => {
    const account = await probedAccount();
    const { faults } = account.sandbox;
    faults.plan({ operation: "activateChannel", drop: "after", times: 9 });
    account.sandbox.observe(({ operation }) => {
      if (operation === "activateChannel") faults.plan({ operation: "listChannels", status: 502, times: 9 });
    });
    const probed = await probing(account, { args: GATEWAY_STEPS });
    expect(probed.left).toEqual([
      expect.stringMatching(/^THE CHANNEL IS STILL ACTIVE/),
      "the module gangway-probe, switched off",
    ]);
    expect(stateOf(account)).toEqual({ channels: [true], module: false });
  });

  it("is its module also when the gateway hangs meanwhile", async () => {
    const account = await probedAccount();
    const call: Call = (request) => {
      if (request.method !== "DELETE") return account.call(request);
      account.pace(100);
      return new Promise((resolve) =>
        request.signal?.addEventListener("abort", () =>
          resolve({ type: "failure", sent: "perhaps", reason: "aborted", detail: "gone" }),
        ),
      );
    };
    const probed = await probing({ ...account, call }, { args: ["--only", "crm"] });
    expect(probed.left[0]).toMatch(/^THE CHANNEL IS STILL ACTIVE/);
    expect(stateOf(account)).toEqual({ channels: [true], module: false });
  });
});

describe("a verdict", () => {
  const verdictOf = ({ unknowns }: Probed, name: string) => unknowns.find((each) => each.name === name);

  it("is none on a gateway that takes no message: the step fails", async () => {
    const account = await probedAccount();
    account.sandbox.faults.plan({ operation: "sendMessage", status: 502, times: 20 });
    const { faults, unknowns } = await probing(account, { args: ["--only", "messages"] });
    expect(faults).toEqual([expect.stringContaining("messages failed: the chat A could not be opened")]);
    expect(unknowns.find(({ name }) => name === "duplicateText")?.verdict).toBe("not seen");
  });

  it("is none on a filter of orders in an account without any", async () => {
    const account = await probedAccount({ filterEntries: "nothing" });
    (account.sandbox.world.tables.orders.rows as PlacedRows).clear();
    const probed = await probing(account, { args: ["--only", "crm"] });
    expect(verdictOf(probed, "filterEntries")).not.toHaveProperty("seen");
    expect(verdictOf(probed, "crmJson")?.verdict).toBe("confirmed");
  });

  it("is none on a time that nobody has answered for", async () => {
    const account = await probedAccount({}, 200);
    const agent = agentAt(account);
    const answers = async (question: string) => (question.endsWith("[y/N] ") ? "y" : undefined);
    const args = ["--only", "waiting,texts"];
    const probed = await probing(account, { person: { ...agent, answers }, args });
    expect(verdictOf(probed, "waitingWarningMs")).not.toHaveProperty("seen");
  });

  it("is none on plain writing where somebody says that it does not look bold", async () => {
    const account = await probedAccount({}, 10);
    const agent = agentAt(account);
    const answers = async (question: string) => (question.includes("bold") ? "n" : "y");
    const probed = await probing(account, { person: { ...agent, answers }, args: ["--only", "texts"] });
    expect(verdictOf(probed, "webhookData")?.verdict).toBe("confirmed");
    expect(verdictOf(probed, "markup")).not.toHaveProperty("seen");
  });

  it("is none on a limit where calls get lost", async () => {
    const account = stillAccount();
    let calls = 0;
    const call: Call = async (request) => {
      calls += 1;
      if (request.url.endsWith("/api/credentials") && calls % 20 === 0)
        return { type: "failure", sent: "perhaps", reason: "reset", detail: "" };
      return account.call(request);
    };
    const probed = await probing({ ...account, call }, { args: ["--only", "crm-rate"] });
    expect(verdictOf(probed, "crmPerSecond")).not.toHaveProperty("seen");
    expect(probed.also.map(({ about }) => about)).toContain("40 calls at once to the CRM, discarded");
  });
});

describe("the report", () => {
  it("holds no key, token, address, name, phone, or text that somebody has written", async () => {
    const account = await probedAccount();
    const { sandbox, origin } = account;
    const agent = agentAt(account);
    const order = { firstName: "Ivanka", phone: "+79161234567", customFields: {} };
    await fetch(`${origin}/api/v5/orders/create`, {
      ...{ method: "POST", headers: { "x-api-key": SANDBOX_KEY } },
      body: new URLSearchParams({ order: JSON.stringify(order) }),
    });
    // The clean-up fails, and its error names the host.
    const call: Call = async (request) =>
      request.method === "DELETE" && /channels/.test(request.url)
        ? { type: "failure", sent: "no", reason: "refused", detail: `getaddrinfo ENOTFOUND ${new URL(origin).host}` }
        : account.call(request);
    const canary = "Call Ivanka Petrovskaya, +79161234567";
    const does = (line: string) => agent.does(line.replace(/(write[^:]*): .*/, `$1: ${canary}`));
    const probed = await probing(
      { ...account, call },
      {
        person: { ...agent, does },
        args: ["--only", "messages,texts,limits,crm"],
      },
    );
    const { token, registration } = sandbox.world.modules.get(CODE) ?? {};
    const [user] = sandbox.world.users.values();
    const secrets = [SANDBOX_KEY, token, registration?.clientId, new URL(origin).host, "Ivanka", "79161234567"];
    const paths = [registration?.integrations.mgTransport?.webhookUrl, registration?.accountUrl];
    const all = [...probed.files.map((file) => readFileSync(file, "utf8")), ...probed.text].join("\n");
    expect(all).toContain("webhook message_sent");
    expect(all).toMatch(/GET \/api\/v5\/orders -> 200 in \d+ ms \{"answer":\{"orders":"\(\d+ left out\)"\}\}/);
    expect(probed.left[0]).toMatch(/^THE CHANNEL IS STILL ACTIVE.*ENOTFOUND \*\*\*/);
    for (const secret of [...secrets, ...paths, user?.token, user?.firstName]) {
      expect(String(secret).length).toBeGreaterThan(2);
      expect(all).not.toContain(secret);
    }
    expect(probed.also).toContainEqual({ about: "an agent's text", seen: "comes otherwise" });
    expect(probed.unknowns.find(({ name }) => name === "markup")?.verdict).toBe("not seen");
  });
});

/** A module of somebody else's, with a channel; what is known of both. */
async function others({ sandbox: { world, fetch }, origin }: Awaited<ReturnType<typeof probedAccount>>) {
  if (!world.modules.has("other")) {
    const integrations = { mgTransport: { webhookUrl: "https://other.example/hook" } };
    const module = { code: "other", name: "Other", clientId: "c", baseUrl: "https://other.example", integrations };
    const form = new URLSearchParams({ integrationModule: JSON.stringify(module) });
    const edit = `${origin}/api/v5/integration-modules/other/edit`;
    await fetch(new Request(edit, { method: "POST", body: form, headers: { "x-api-key": SANDBOX_KEY } }), {});
    const headers = {
      "x-transport-token": world.modules.get("other")?.token ?? "",
      "content-type": "application/json",
    };
    const body = JSON.stringify({ type: "custom", name: "Other's" });
    await fetch(new Request(`${origin}/api/transport/v1/channels`, { method: "POST", headers, body }), {});
  }
  const channel = [...world.channels.values()].find(({ moduleCode }) => moduleCode === "other");
  return structuredClone([world.modules.get("other"), channel]);
}
