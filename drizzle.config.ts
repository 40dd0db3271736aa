import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: ["./src/store/tables/schema.ts", "./src/store/tables/erasure-schema.ts"],
  out: "./migrations/sqlite",
});
