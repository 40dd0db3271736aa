import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: "test/support/suite.ts",
    include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
    testTimeout: 20_000,
    hookTimeout: 120_000,
    pool: "forks",
  },
});
