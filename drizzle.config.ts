import { type Config, defineConfig } from "drizzle-kit";

// The tables of both engines are described in src/store/tables. `npm run migrate:new` makes a migration for each.
const engines: Record<string, Config> = {
  sqlite: {
    dialect: "sqlite",
    schema: "./src/store/tables/schema.ts",
    out: "./migrations/sqlite",
  },
  postgres: { dialect: "postgresql", schema: "./src/store/postgres/database/schema.ts", out: "./migrations/postgres" },
};

export default defineConfig(engines[process.env.ENGINE ?? "sqlite"] as Config);
