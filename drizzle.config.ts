import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: ["./src/store/sqlite/database/schema.ts", "./src/store/sqlite/database/erasure-schema.ts"],
  out: "./migrations",
});
