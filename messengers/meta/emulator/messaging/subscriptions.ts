import type { Asked, Operation } from "../graph.ts";
import { refusal } from "../graph-error.ts";
import { needRight } from "../tokens.ts";
import type { Platform } from "./network.ts";
import { accountOf } from "./reading.ts";

const PATH = "/:accountId/subscribed_apps";

/** What of an account an app's webhook gets. */
export function subscriptionOperations(platform: Platform): Operation[] {
  const opened = (asked: Asked) => {
    const token = asked.token();
    const account = accountOf(platform, asked, token);
    needRight(token, ...platform.network.rights.subscribe);
    return { account, token };
  };
  return [
    {
      id: "subscribe",
      method: "POST",
      path: PATH,
      run(asked) {
        const { account, token } = opened(asked);
        const fields = fieldsOf(platform, asked);
        needRight(token, ...platform.network.rights.message);
        account.subscribed.set(token.app, new Set(fields));
        return { success: true };
      },
    },
    {
      id: "listSubscribed",
      method: "GET",
      path: PATH,
      run(asked) {
        const { account } = opened(asked);
        const view = [...account.subscribed].map(([id, fields]) => {
          const name = platform.core.apps.find(id)?.name;
          return { ...(name && { category: "Messenger bots for business", name }), id, subscribed_fields: [...fields] };
        });
        return { data: view };
      },
    },
    {
      id: "unsubscribe",
      method: "DELETE",
      path: PATH,
      run(asked) {
        const { account, token } = opened(asked);
        account.subscribed.delete(token.app);
        return { success: true };
      },
    },
  ];
}

function fieldsOf({ network }: Platform, { query, body }: Asked): string[] {
  const given = query.subscribed_fields ?? body.subscribed_fields;
  const fields = (Array.isArray(given) ? given.map(String) : String(given ?? "").split(",")).filter(Boolean);
  if (fields.length === 0) throw refusal(100, "The parameter subscribed_fields is required.");
  fields.forEach((field, at) => {
    if (!network.knownFields.includes(field))
      throw refusal(100, `Param subscribed_fields[${at}] must be one of {${network.knownFields.join(", ")}}`);
  });
  return fields;
}
