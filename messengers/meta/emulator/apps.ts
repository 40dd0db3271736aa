import { randomText } from "gangway-messenger/kit/emulator/random";
import { plainRefusal } from "./graph-error.ts";

/** An app as registered in Meta's developer console. */
export interface App {
  id: string;
  name: string;
  secret: string;
  /** The console's webhook: where events go unless an account has an address of its own. */
  webhook?: Webhook;
  /** Fields that the webhook gets. */
  fields?: string[];
  deauthorizeUrl?: string;
  deletionUrl?: string;
  /** Of its login. */
  redirects: Set<string>;
}
export interface Webhook {
  url: string;
  verifyToken: string;
}

/** A login's code, good once for ten minutes. */
interface Code {
  app: string;
  redirectUri: string;
  until: number;
  token: string;
}

export interface Apps {
  add(app: Pick<App, "id" | "name" | "secret"> & Partial<App>): App;
  find(id: string): App | undefined;
  list(): App[];
  clear(): void;
  /** Throws GraphRefusal unless the id exists and this is its secret. */
  check(id: string, secret: string): App;
  /** A code that buys the token. */
  newCode(code: Omit<Code, "until">): string;
  /** The token bought. Throws GraphRefusal. */
  redeem(code: string, app: App, redirectUri: string): string;
}

const CODE_LIFE_MS = 600_000;

export function createApps(now: () => number, random: () => number): Apps {
  const apps = new Map<string, App>();
  const codes = new Map<string, Code>();
  const find = (id: string) => apps.get(id);
  return {
    add(given) {
      const app: App = { redirects: new Set(), ...given };
      apps.set(app.id, app);
      return app;
    },
    find,
    list: () => [...apps.values()],
    clear() {
      apps.clear();
      codes.clear();
    },
    check(id, secret) {
      const app = find(id);
      if (!app)
        throw plainRefusal(101, "Error validating application. Cannot get application info due to a system error.");
      if (app.secret !== secret) throw plainRefusal(1, "Error validating client secret.");
      return app;
    },
    newCode(given) {
      const code = `AQ${randomText(80, random)}`;
      codes.set(code, { ...given, until: now() + CODE_LIFE_MS });
      return code;
    },
    redeem(code, app, redirectUri) {
      const found = codes.get(code);
      if (found?.app !== app.id) throw plainRefusal(100, "Invalid verification code format.", { error_subcode: 36009 });
      if (found.redirectUri !== redirectUri)
        throw plainRefusal(
          100,
          "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request",
          { error_subcode: 36008 },
        );
      codes.delete(code);
      if (now() >= found.until)
        throw plainRefusal(100, "This authorization code has expired.", { error_subcode: 36007 });
      return found.token;
    },
  };
}
