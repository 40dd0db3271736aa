import { type Delivery, STATUSES } from "./book.ts";

export interface CrmOptions {
  /** The account's address. */
  url: string;
  key: string;
  /** The module's code, and the client id by which it knows this account. */
  code: string;
  clientId: string;
}

/** The CRM's calls that the module takes, each at the path of its name. */
const ACTIONS = ["calculate", "save", "delete", "shipmentSave", "shipmentDelete"];
const TIMEOUT_MS = 10_000;
/** Of requests beyond the CRM's rate: each pause is twice the last. */
const FIRST_PAUSE_MS = 250;
const MAX_ATTEMPTS = 6;

/** The module's calls to the CRM. They throw with the CRM's words. */
export function createCrm({ url, key, code, clientId }: CrmOptions) {
  const post = async (path: string, fields: Record<string, unknown>) => {
    const form = Object.entries(fields).map(([name, value]): [string, string] => [name, JSON.stringify(value)]);
    for (let attempt = 1; ; attempt++) {
      const answer = await fetch(`${url}${path}`, {
        method: "POST",
        headers: { "x-api-key": key },
        body: new URLSearchParams(form),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if ([429, 503].includes(answer.status) && attempt < MAX_ATTEMPTS) {
        await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** (attempt - 1)));
        continue;
      }
      const body = (await answer.json()) as { success: boolean; errorMsg?: string };
      if (body.success) return body;
      throw new Error(`the CRM answered ${answer.status}: ${body.errorMsg}`);
    }
  };
  return {
    /** Registers the module at its own address. */
    register: (baseUrl: string) => {
      const actions = Object.fromEntries(ACTIONS.map((action) => [action, action]));
      const delivery = { description: "Parcels by bicycle", actions, allowTrackNumber: true, statusList: STATUSES };
      return post(`/api/v5/integration-modules/${code}/edit`, {
        integrationModule: {
          ...{ code, integrationCode: code, name: "Bicycle delivery", clientId, baseUrl, active: true },
          actions: { activity: "activity" },
          integrations: { delivery },
        },
      });
    },
    /** Tells where parcels are. */
    track: (deliveries: Delivery[]) =>
      post(`/api/v5/delivery/generic/${code}/tracking`, {
        statusUpdate: deliveries.map(({ id, status, trackNumber, cost }) => ({
          deliveryId: id,
          history: [{ code: status, updatedAt: new Date().toISOString().replace(/\.\d+Z$/, "+00:00") }],
          trackNumber,
          cost,
        })),
      }),
  };
}
