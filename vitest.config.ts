import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests import sources, never a build. */
const conditions = ["source", "module", "node", "development|production"];

/** Files that mostly wait for other processes start first; files that compute fill the gaps. */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const waits = ({ moduleId }: TestSpecification) => (/\/test\/story\//.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((a, b) => waits(a) - waits(b));
  }
}

/** What runs on PostgreSQL, too. `test/store` and some others test both engines at once. */
const ON_POSTGRES = ["http/doors", "module/watch", "operator/keys", "relay/deliver/revisions", "threats/tenants"];
/** There by `npm run test:long` alone. */
const LONG_ON_POSTGRES = [
  ...["app", "canaries", "operator/doctor", "operator/replay"],
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
  ...["apps", "foreign-answers", "guessing", "logins", "names", "secrets", "webhooks"].map((name) => `threats/${name}`),
  // The other stories are about pages and messengers: on PostgreSQL their doors, and what they store, are tested above.
  ...["metrics", "relay", "stopping", "telegram", "telegram-customers", "unknowns", "whatsapp"].map(
    (name) => `story/${name}`,
  ),
  ...["deaths", "disk", "load", "waits"].map((name) => `story/torture/${name}`),
];
/** Have a long form, or take long: `npm run test:long` runs these on SQLite. */
const LONG_FORMS = [
  ...["fuzz/**/*", "model/*", "operator/dead", "operator/erase", "operator/keys", "relay/promises"],
  ...["story/first-steps", "story/merchant", "story/rehearsal", "story/relay"],
  ...["threats/api-keys", "threats/guessing", "tools/tutorial"],
];
/** The same, and `npm test` leaves them out. */
const ONLY_LONG = ["pages/looks", "story/rolling", "story/torture/*", "story/unknowns", "tools/new-messenger"];
/** Share nothing: they change their user, start a program that they have just written, or need the runtime's own globals. */
const ALONE = ["http/event-streams", "store/sqlite/database/db"];
const ALONE_LONG = ["tools/launch"];
const IN_SANDBOX = ["conformance", "inbox-page"].map((name) => `sandbox/test/${name}.test.ts`);

/** Need PostgreSQL, or longer than the others together: `npm run test:quick` leaves them out. */
const NOT_QUICK = [
  ...["relay/dispatch/guests", "relay/dispatch/holdings", "relay/promises"],
  ...["store/moving", "store/postgres/**/*"],
];

const { LONG, QUICK, SUITE } = process.env;
const isLong = SUITE === "long";
const leftOut = [...ALONE, ...ALONE_LONG, ...(isLong || LONG ? [] : ONLY_LONG), ...(QUICK ? NOT_QUICK : [])];
const filesOf = (names: string[]) => names.map((name) => `test/${name}.test.ts`);

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: "test/support/suite.ts",
    projects: [
      {
        extends: true,
        test: {
          name: "sqlite",
          include: isLong ? filesOf([...LONG_FORMS, ...ONLY_LONG]) : ["test/**/*.test.ts", "test/**/*.test.tsx"],
          exclude: [...configDefaults.exclude, ...filesOf(leftOut)],
        },
      },
      {
        extends: true,
        test: { name: "alone", include: filesOf(isLong ? ALONE_LONG : ALONE), pool: "forks", isolate: true },
      },
      { extends: true, test: { name: "sandbox", include: isLong ? IN_SANDBOX : ["sandbox/test/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "postgres",
          env: { ENGINE: "postgres" },
          include: filesOf(isLong ? LONG_ON_POSTGRES : ON_POSTGRES),
        },
      },
    ],
    // A limit ends a hang; it judges no speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Files of one worker share the modules that they import: loading them again takes half of the time.
    pool: "threads",
    isolate: false,
    // Half of the workers wait while the others compute.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: WaitingFirst },
  },
});
