// Test files by where and when they run, as paths in test/ without .test.ts. `npm test` runs whatever is not in
// test/long and no list here leaves out.

/** What runs on PostgreSQL, too. */
export const ON_POSTGRES = [
  "system/http/doors",
  ...["outbox", "outbox.claims"].map((name) => `unit/store/${name}`),
  "system/threats/tenants",
];
/** Only in `npm run test:long`. */
export const LONG_ON_POSTGRES = [
  "system/relay/deliver/revisions",
  ...["comparing", "watch"].map((name) => `unit/module/health/${name}`),
  "unit/module/account/housekeeping",
  "long/events",
  "unit/module/vendor/events",
  "unit/operator/pausing",
  "unit/store/tables/accounts/pausing",
  ...["api-tokens", "events"].map((name) => `unit/store/tables/vendor/${name}`),
  "canaries",
  "long/unknowns",
  ...["deaths", "disk", "load", "waits"].map((name) => `long/torture/${name}`),
  ...[
    "channel-check",
    "connect",
    "cut",
    "form-guard",
    "live-test",
    "pausing",
    "pressure",
    "readable",
    "rehearsal",
    "site-visits",
    "standing",
    "storing",
    "testing",
    "ways",
  ].map((name) => `system/http/${name}`),
  ...["audit", "hand-overs", "vendor-pauses"].map((name) => `system/module/${name}`),
  ...["broken-rows", "clock-put-back", "erased", "late", "overdue", "promises"].map((name) => `system/relay/${name}`),
  "system/relay/accept/leaving",
  ...["files", "read-marks", "unchanged"].map((name) => `system/relay/deliver/${name}`),
  ...["fairness", "kinds", "late"].map((name) => `system/relay/scheduler/${name}`),
  ...["dead-logins", "feeds-resting", "formats", "gateway-files"].map((name) => `system/relay/sessions/${name}`),
  ...["acks", "leaving", "ledger", "ledger-property", "overload", "recent-calls", "timers"].map(
    (name) => `unit/store/outbox.${name}`,
  ),
  // The other stories are about pages and messengers: on PostgreSQL their doors, and what they store, are tested above.
  ...["metrics", "relay", "stopping", "telegram-customers", "whatsapp"].map((name) => `system/story/${name}`),
  ...["apps", "foreign-answers", "guessing", "logins", "names", "secrets", "webhooks"].map(
    (name) => `system/threats/${name}`,
  ),
  "unit/app",
  ...["account", "customers", "disconnect", "erased", "history", "live", "logins", "stories", "try-out"].map(
    (name) => `unit/http/account/${name}`,
  ),
  ...["doors.apps", "doors.one-click"].map((name) => `unit/http/doors/${name}`),
  "unit/http/metrics/site",
  ...["entry", "support"].map((name) => `unit/http/visit/${name}`),
  "unit/module/account/erasure-requests",
  ...["channels", "groups", "renewal"].map((name) => `unit/module/channels/${name}`),
  ...["activity", "confirmation", "connect", "connect.again", "whereabouts"].map(
    (name) => `unit/module/connecting/${name}`,
  ),
  "unit/module/health/importing",
  ...["arriving", "giving-back"].map((name) => `unit/module/moving-in/${name}`),
  "unit/module/health/standings",
  ...["stories", "undelivered"].map((name) => `unit/module/messages/${name}`),
  "unit/module/templates/templates",
  ...["accounts", "dead", "doctor", "erase", "keys", "messages", "replay"].map((name) => `unit/operator/${name}`),
  "unit/relay/worker",
  ...["inbound", "inbound.parked", "templates"].map((name) => `unit/relay/accept/${name}`),
  ...["uploads.avatars", "reports.doubt", "pieces.fitting", "attempt.jobs", "quarantine", "steps"].map(
    (name) => `unit/relay/deliver/${name}`,
  ),
  ...["limits/limits.breaker", "limits/limits.resting", "scheduler/slots.turns"].map((name) => `unit/relay/${name}`),
  ...["feeds", "sessions"].map((name) => `unit/relay/sessions/${name}`),
  ...["erasure", "customer.parked", "customer.notes"].map((name) => `unit/store/erasing/${name}`),
  ...["rows.album", "decisions.dead", "decisions.messages"].map((name) => `unit/store/outbox/${name}`),
  ...["accounts", "audit", "accounts.web-sessions"].map((name) => `unit/store/tables/accounts/${name}`),
  ...["channels", "raw-webhooks.journal", "kept-files", "channels.notes", "raw-webhooks.parked"].map(
    (name) => `unit/store/tables/channels/${name}`,
  ),
  ...["retention", "windows"].map((name) => `unit/store/tables/care/${name}`),
  ...["search", "search.large"].map((name) => `unit/store/tables/messages/${name}`),
];
/** Have a long form, or take long: `npm run test:long` runs these on SQLite, and the whole of test/long. */
export const LONG_FORMS = [
  ...["fuzz/**/*", "model/*"],
  "system/gateway/stalls",
  "system/http/login-browser",
  "system/relay/promises",
  // The other stories are about pages and messengers: on PostgreSQL their doors, and what they store, are tested above.
  ...["first-steps", "merchant", "meta-merchant", "rehearsal", "relay"].map((name) => `system/story/${name}`),
  ...["api-keys", "foreign-answers", "guessing", "names"].map((name) => `system/threats/${name}`),
  "tools/tutorial",
  "tools/simulate/simulate",
  ...["dead", "keys"].map((name) => `unit/operator/${name}`),
  "unit/store/erasing/erasure",
];
export const ONLY_LONG = "long/**/*";
/** What a release has to pass besides: only in `npm run test:release`. */
export const OF_RELEASE = "release/**/*";
/** Share nothing: they change their user, start a program that they have just written, or need the runtime's own globals. */
export const ALONE = ["system/http/event-streams", "unit/store/sqlite/database/db"];
export const ALONE_LONG = ["long/launch"];
export const IN_SANDBOX = ["conformance", "inbox-page"];

/** Need PostgreSQL, or take longer than all others together: `npm run test:quick` leaves them out. */
export const NOT_QUICK = [
  ...["system/store/postgres/**/*", "unit/store/postgres/**/*"],
  "system/relay/promises",
  "system/store/moving",
  "system/store/tables/moved",
  ...["limits/limits.shared-permits", "scheduler/holdings"].map((name) => `unit/relay/${name}`),
];
