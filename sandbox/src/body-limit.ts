import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { type Env, MAX_BODY } from "./exchange.ts";

/** Without a length a body is read up to the limit. Beyond it, the API that it is for refuses it as if it had declared one. */
export const limitBody = createMiddleware<Env>((c, next) => {
  const onError = async () => {
    const { url, method, headers } = c.req.raw;
    const declared = new Headers(headers);
    declared.delete("transfer-encoding");
    declared.set("content-length", String(MAX_BODY + 1));
    c.req.raw = new Request(url, { method, headers: declared });
    await next();
    return c.res;
  };
  return bodyLimit({ maxSize: MAX_BODY, onError })(c, next);
});
