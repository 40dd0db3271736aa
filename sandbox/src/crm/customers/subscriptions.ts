import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { type Reference, recordBy } from "../resource/resource.ts";
import { writingOf } from "../resource/routes.ts";

type Change = { channel?: string; subscription?: string; active?: boolean };
type Subscription = { subscription: { channel?: string; code?: string }; subscribed: boolean; changedAt: string };
type Body = Reference & { subscriptions: Change[] };

/** Subscribes a customer to categories of mailings, or ends that. */
export function subscriptionRoute(site: Hono<Env>, gateway: Gateway): void {
  site.post("/api/v5/customers/:key/subscriptions", (c) => {
    const { subscriptions, ...reference } = bodyOf<Body>(c);
    const entry = recordBy(gateway, "customers", c.req.param("key"), reference);
    const { now } = writingOf(c, gateway);
    const before = (entry.customerSubscriptions ?? []) as Subscription[];
    const own = new Map(before.map((each) => [keyOf(each.subscription), each]));
    for (const { channel, subscription: code, active } of subscriptions) {
      const subscription = { channel, code };
      own.set(keyOf(subscription), { subscription, subscribed: active === true, changedAt: now });
    }
    gateway.world.tables.customers.put({ ...entry, customerSubscriptions: [...own.values()] });
    return c.json({ success: true });
  });
}

/** A category is of one channel. */
const keyOf = ({ channel, code }: Subscription["subscription"]) => `${channel}/${code}`;
