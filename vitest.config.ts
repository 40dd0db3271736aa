import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
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
const ON_POSTGRES = [
  ...[
    "app",
    "canaries",
    "relay/overdue",
    "relay/accept/inbound",
    "relay/accept/leaving",
    "relay/accept/parked",
    "relay/clock-put-back",
    "relay/erased",
    "relay/broken-rows",
    "operator/keys",
    "operator/replay",
    "operator/doctor",
    "relay/late",
  ],
  ...["avatars", "files", "jobs", "quarantine", "read-marks", "revisions", "steps", "strays", "unchanged"].map(
    (name) => `relay/deliver/${name}`,
  ),
  ...["breaker", "late", "resting", "turns"].map((name) => `relay/dispatch/${name}`),
  ...["dead-logins", "feeds", "feeds-resting", "formats", "gateway-files", "sessions"].map(
    (name) => `relay/sessions/${name}`,
  ),
  ...["account", "apps", "customers", "cut", "disconnect", "doors", "entry", "erased", "form-guard", "history"].map(
    (name) => `http/${name}`,
  ),
  ...["live-test", "logins", "metrics", "pressure", "rehearsal", "stories", "storing"].map((name) => `http/${name}`),
  ...["activity", "audit", "channels", "confirmation", "connect", "erasure-requests", "groups", "renewal"].map(
    (name) => `module/${name}`,
  ),
  ...["standings", "stories", "undelivered", "watch", "whereabouts"].map((name) => `module/${name}`),
  ...["logins", "secrets", "tenants", "webhooks"].map((name) => `threats/${name}`),
  ...[
    "customer",
    "first-steps",
    "journeys",
    "live-test",
    "merchant",
    "metrics",
    "phone",
    "relay",
    "stopping",
    "templates",
    "whatsapp",
  ].map((name) => `story/${name}`),
];
/** There by `npm run test:long` alone: what takes long, or talks less to the store. */
const LONG_ON_POSTGRES = [
  "module/templates",
  ...["channel-check", "connect", "live", "one-click", "pausing", "readable", "standing", "testing"].map(
    (name) => `http/${name}`,
  ),
  ...["trying", "ways"].map((name) => `http/${name}`),
  ...["apps", "foreign-answers", "guessing", "names"].map((name) => `threats/${name}`),
  ...["promises", "worker", "accept/templates", "deliver/doubt", "deliver/fitting"].map((name) => `relay/${name}`),
  ...["fairness", "kinds"].map((name) => `relay/dispatch/${name}`),
  ...["browser", "closed-chat", "connecting", "formatting", "long-chat", "meta-merchant", "rehearsal"].map(
    (name) => `story/${name}`,
  ),
  ...["telegram", "telegram-customers", "unknowns"].map((name) => `story/${name}`),
  ...["deaths", "disk", "load", "waits"].map((name) => `story/torture/${name}`),
];
const onPostgres = process.env.LONG ? LONG_ON_POSTGRES : ON_POSTGRES;

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: "test/support/suite.ts",
    projects: [
      { extends: true, test: { name: "sqlite", include: ["test/**/*.test.ts", "test/**/*.test.tsx"] } },
      {
        extends: true,
        test: {
          name: "postgres",
          env: { ENGINE: "postgres" },
          include: onPostgres.map((name) => `test/${name}.test.ts`),
        },
      },
    ],
    // A limit ends a hang; it judges no speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    pool: "forks",
    // Half of the workers wait while the others compute.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: WaitingFirst },
  },
});
