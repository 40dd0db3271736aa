import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import * as lists from "./test/lists.ts";

/** Tests import sources, never a build. */
const conditions = ["source", "module", "node", "development|production"];

/** Files that mostly wait for other processes start first, as does the longest that computes; the others fill the gaps. */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const waits = ({ moduleId }: TestSpecification) =>
      /\/test\/(system\/story|long|tools\/simulate)\//.test(moduleId) ? 0 : 1;
    return (await super.sort(files)).sort((a, b) => waits(a) - waits(b));
  }
}

const { ALONE, ALONE_LONG, IN_SANDBOX, LONG_FORMS, LONG_ON_POSTGRES, NOT_QUICK, OF_RELEASE, ON_POSTGRES, ONLY_LONG } =
  lists;
const { LONG, QUICK, SUITE } = process.env;
const [isLongSuite, isOfRelease] = [SUITE === "long", SUITE === "release"];
const isLong = isLongSuite || Boolean(LONG);
const LONG_OF_MESSENGERS = "messengers/*/test/long/**/*.test.ts";
const leftOut = [
  ...[...ALONE, ...ALONE_LONG],
  ...(isLong ? [] : [ONLY_LONG]),
  ...(isOfRelease ? [] : [OF_RELEASE]),
  ...(QUICK ? NOT_QUICK : []),
];
const DRIZZLE = [
  "",
  "/better-sqlite3",
  "/better-sqlite3/migrator",
  "/errors",
  "/node-postgres",
  "/pg-core",
  "/sqlite-core",
].map((entry) => `drizzle-orm${entry}`);
const ALL = "{test,packages/*/test,messengers/*/test}/**/*.test.{ts,tsx}";

const filesOf = (names: string[], folder = "test") => names.map((name) => `${folder}/${name}.test.ts`);

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
          include: isLongSuite
            ? [...filesOf([...LONG_FORMS, ONLY_LONG]), LONG_OF_MESSENGERS]
            : isOfRelease
              ? filesOf([OF_RELEASE])
              : [ALL],
          exclude: [...configDefaults.exclude, ...filesOf(leftOut), ...(isLong ? [] : [LONG_OF_MESSENGERS])],
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: filesOf(isLongSuite ? ALONE_LONG : LONG ? [...ALONE, ...ALONE_LONG] : ALONE),
          pool: "forks",
          isolate: true,
        },
      },
      {
        extends: true,
        test: {
          name: "sandbox",
          include: isLongSuite ? filesOf(IN_SANDBOX, "sandbox/test") : ["sandbox/test/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          env: { ENGINE: "postgres" },
          include: filesOf(isLongSuite ? LONG_ON_POSTGRES : ON_POSTGRES),
        },
      },
    ],
    // A limit ends a hang; it judges no speed.
    testTimeout: isLong ? 900_000 : 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Files of one worker share the modules that they import: loading them again takes half of the time.
    pool: "threads",
    isolate: false,
    // One file each for drizzle's hundreds: Node parses its package.json (180 KB) again for every one of them.
    deps: { optimizer: { ssr: { enabled: true, include: DRIZZLE, exclude: ["better-sqlite3", "pg"] } } },
    // Many wait while the others compute.
    maxWorkers: 3 * availableParallelism(),
    sequence: { sequencer: WaitingFirst },
  },
});
