import type { Sabotage } from "./sabotage.ts";

/** Protections of the account's form against the threats of docs/threats.md. */
export const SABOTAGES_OF_THREATS: Sabotage[] = [
  {
    promise: "T1",
    what: "a gateway's webhook needs no client id",
    tests: ["test/system/http/doors.test"],
    patches: [{ file: "http/doors/doors.ts", find: "if (!account || !proven) {", replace: "if (!account) {" }],
  },
  {
    promise: "T6",
    what: "any open visit opens every account's page",
    tests: ["test/unit/http/visit/entry.test"],
    patches: [
      {
        file: "http/visit/visit-guard.ts",
        find: "return visit?.account.id === account ? visit : undefined;",
        replace: "return visit;",
      },
    ],
  },
  {
    promise: "T6",
    what: "the account's page shows the whole API key",
    tests: ["test/unit/http/account/account.test"],
    patches: [{ file: "module/account/visits.ts", find: "account.apiKey.slice(-4)", replace: "account.apiKey" }],
  },
  {
    promise: "T7",
    what: "a form needs no token",
    tests: ["test/system/http/form-guard"],
    patches: [
      {
        file: "http/visit/visit-guard.ts",
        find: "if (!proven || !ownOrigin(c, publicUrl))",
        replace: "if (!ownOrigin(c, publicUrl))",
      },
    ],
  },
  {
    promise: "T7",
    what: "a form may come from another site that hides its origin",
    tests: ["test/system/http/form-guard"],
    patches: [
      {
        file: "http/visit/cross-site.ts",
        find: 'if (site && site !== "same-origin" && site !== "none") return false;',
        replace: "",
      },
    ],
  },
  {
    promise: "T8",
    what: "any site may frame the pages",
    tests: ["test/unit/http/account/account.test"],
    patches: [{ file: "http/visit/cross-site.ts", find: "\"frame-ancestors 'none'\"", replace: '"frame-ancestors *"' }],
  },
  {
    promise: "T8",
    what: "a CRM may frame the pages unasked",
    tests: ["test/system/http/embedding"],
    patches: [
      { file: "http/visit/cross-site.ts", find: "embedding ? framersOf(c) : undefined", replace: "framersOf(c)" },
    ],
  },
  {
    promise: "T10",
    what: "pages run scripts that stand in them",
    tests: ["test/unit/http/account/account.test"],
    patches: [
      { file: "http/visit/cross-site.ts", find: "script-src 'self'", replace: "script-src 'self' 'unsafe-inline'" },
    ],
  },
  {
    promise: "T10",
    what: "a customer's name is markup",
    tests: ["test/system/pages/pages.test"],
    patches: [
      {
        file: "pages/undelivered.tsx",
        find: "          {who}\n        </a>",
        replace: "          <span dangerouslySetInnerHTML={{ __html: who }} />\n        </a>",
      },
    ],
  },
  {
    promise: "T14",
    what: "secrets are compared up to the first difference",
    tests: ["test/system/threats/timing"],
    patches: [
      {
        file: "packages/messenger/src/ids.ts",
        find: 'timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", right, "buffer"))',
        replace: "given === right",
      },
    ],
  },
  {
    promise: "T14",
    what: "an unknown path of the gateway saves a comparison",
    tests: ["test/system/threats/timing"],
    patches: [
      {
        file: "http/doors/doors.ts",
        find: "const proven = sameSecret(",
        replace: "const proven = account && sameSecret(",
      },
    ],
  },
  {
    promise: "T15",
    what: "a message's story is told to every account",
    tests: ["test/system/threats/tenants"],
    patches: [
      {
        file: "store/tables/messages/stories.ts",
        find: "(row) => row.accountId === accountId",
        replace: "() => true",
      },
    ],
  },
  {
    promise: "T15",
    what: "every account decides on a message",
    tests: ["test/system/threats/tenants"],
    patches: [
      {
        file: "store/outbox/decisions.ts",
        find: "and(eq(messages.id, id), eq(messages.accountId, accountId), ENDED)",
        replace: "and(eq(messages.id, id), ENDED)",
      },
    ],
  },
  {
    promise: "T24",
    what: "a forwarding header is believed from anyone",
    tests: ["test/unit/domain/proxies"],
    patches: [
      {
        file: "domain/proxies.ts",
        find: "(networks.length > 0 ? !isTrusted(known) : n >= hops)",
        replace: "false",
      },
    ],
  },
];
