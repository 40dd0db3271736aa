import { defineConfig } from "vitest/config";

/** Tests import sources, never a build. */
const conditions = ["source", "module", "node", "development|production"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: "test/support/suite.ts",
    include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
    testTimeout: 20_000,
    hookTimeout: 120_000,
    pool: "forks",
  },
});
