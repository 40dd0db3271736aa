import { expect, it } from "vitest";
import { hostsOf, importing, readImported } from "../../../../src/module/moving-in/records.ts";

it.each(["plain", "$&$1", 'with "quotes" and \\ too'])(
  "a registration is kept without the client id %s, and read with it",
  async (clientId) => {
    const webhookUrl = `https://old.example/webhook/${clientId}`;
    const fields = { clientId, baseUrl: "https://base.example", integrations: { mgTransport: { webhookUrl } } };
    const act = importing("former", fields, clientId);
    expect(JSON.stringify(act)).not.toContain(JSON.stringify(JSON.stringify(clientId)).slice(3, -3));
    const row = { ...act, id: 1, at: 0, detail: act.detail ?? {} };
    const audit = { list: async () => [row] };
    expect(await readImported({ audit } as never, "a" as never, clientId)).toEqual({
      ...{ from: "former", fields, webhookUrl },
    });
    expect(hostsOf(fields)).toEqual(["base.example", "old.example"]);
  },
);
