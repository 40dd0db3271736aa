// Test files by where and when they run, as paths in test/ without .test.ts. `npm test` runs whatever is not in
// test/long and no list here leaves out.

/** What runs on PostgreSQL, too. */
export const ON_POSTGRES = [
  "http/doors",
  "module/watch",
  "operator/keys",
  "relay/deliver/revisions",
  "store/outbox/claims",
  "store/outbox/outbox",
  "system/threats/tenants",
];
/** Only in `npm run test:long`. */
export const LONG_ON_POSTGRES = [
  ...["app", "canaries", "module/hand-overs"],
  ...["dead", "doctor", "erase", "replay"].map((name) => `operator/${name}`),
  ...["accept/inbound", "accept/leaving", "accept/parked", "accept/templates", "broken-rows", "clock-put-back"].map(
    (name) => `relay/${name}`,
  ),
  ...["deliver/doubt", "deliver/fitting", "erased", "late", "overdue", "promises", "worker"].map(
    (name) => `relay/${name}`,
  ),
  ...["avatars", "files", "jobs", "quarantine", "read-marks", "steps", "strays", "unchanged"].map(
    (name) => `relay/deliver/${name}`,
  ),
  ...["breaker", "fairness", "kinds", "late", "resting", "turns"].map((name) => `relay/dispatch/${name}`),
  ...["dead-logins", "feeds", "feeds-resting", "formats", "gateway-files", "sessions"].map(
    (name) => `relay/sessions/${name}`,
  ),
  ...["account", "apps", "channel-check", "connect", "customers", "cut", "disconnect", "entry", "erased"].map(
    (name) => `http/${name}`,
  ),
  ...["form-guard", "history", "live", "live-test", "logins", "metrics", "one-click", "pausing", "pressure"].map(
    (name) => `http/${name}`,
  ),
  ...["readable", "rehearsal", "standing", "stories", "storing", "testing", "trying", "ways"].map(
    (name) => `http/${name}`,
  ),
  ...["activity", "audit", "channels", "confirmation", "connect", "erasure-requests", "groups", "renewal"].map(
    (name) => `module/${name}`,
  ),
  ...["standings", "stories", "templates", "undelivered", "whereabouts"].map((name) => `module/${name}`),
  ...["acks", "album", "leaving", "ledger", "ledger-property", "overload", "recent-calls", "timers"].map(
    (name) => `store/outbox/${name}`,
  ),
  ...["accounts", "audit", "channels", "journal", "kept-files", "notes", "parked", "retention", "web-sessions"].map(
    (name) => `store/tables/${name}`,
  ),
  ...["ended/dead", "erasing/erasure", "erasing/parked"].map((name) => `store/${name}`),
  ...["apps", "foreign-answers", "guessing", "logins", "names", "secrets", "webhooks"].map(
    (name) => `system/threats/${name}`,
  ),
  // The other stories are about pages and messengers: on PostgreSQL their doors, and what they store, are tested above.
  ...["metrics", "relay", "stopping", "telegram-customers", "whatsapp"].map((name) => `system/story/${name}`),
  ...["torture/deaths", "torture/disk", "torture/load", "torture/waits", "unknowns"].map((name) => `long/${name}`),
];
/** Have a long form, or take long: `npm run test:long` runs these on SQLite, and the whole of test/long. */
export const LONG_FORMS = [
  ...["fuzz/**/*", "gateway/stalls", "model/*", "operator/dead", "operator/keys", "relay/promises"],
  ...["http/login-browser", "store/erasing/erasure"],
  ...["first-steps", "merchant", "meta-merchant", "rehearsal", "relay"].map((name) => `system/story/${name}`),
  ...["api-keys", "foreign-answers", "guessing", "names"].map((name) => `system/threats/${name}`),
  ...["simulate/simulate", "tutorial"].map((name) => `tools/${name}`),
];
export const ONLY_LONG = "long/**/*";
/** Share nothing: they change their user, start a program that they have just written, or need the runtime's own globals. */
export const ALONE = ["http/event-streams", "store/sqlite/database/db"];
export const ALONE_LONG = ["long/launch"];
export const IN_SANDBOX = ["conformance", "inbox-page"];

/** Need PostgreSQL, or take longer than all others together: `npm run test:quick` leaves them out. */
export const NOT_QUICK = [
  ...["relay/dispatch/guests", "relay/dispatch/holdings", "relay/promises"],
  ...["store/moving", "store/postgres/**/*", "store/tables/moved"],
];
