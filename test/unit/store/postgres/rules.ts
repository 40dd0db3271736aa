import type { Migration } from "../../../../src/store/postgres/database/migrations.ts";

const TAKES = /\bDROP (TABLE|COLUMN|CONSTRAINT|DEFAULT|FUNCTION)\b|\bRENAME\b|\bSET DATA TYPE\b|\bSET NOT NULL\b/;

/** Without the body of a function that it makes: that runs later, row by row. */
const ownOf = (statement: string) =>
  /CREATE (OR REPLACE )?FUNCTION/.test(statement) ? statement.replace(/\$\$[\s\S]*\$\$/, "") : statement;

/** What a migration does that older programs, or their traffic, would not bear. */
export function faultsIn({ name, statements, oldest, concurrent }: Migration): string[] {
  const text = statements.join("\n");
  const made = [...text.matchAll(/CREATE TABLE "(\w+)"/g)].map(([, table]) => table);
  const faults = statements.flatMap((statement) => {
    const [, unique, table] = /CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)"(\w+)" ON "(\w+)"/.exec(statement) ?? [];
    const [, index] = /CREATE (?:UNIQUE )?INDEX CONCURRENTLY "(\w+)"/.exec(statement) ?? [];
    const isColumn = /ADD COLUMN/.test(statement) && /NOT NULL/.test(statement);
    return [
      TAKES.test(statement) && !oldest && "takes away what older programs use: begin it with -- contract",
      isColumn && !/DEFAULT/.test(statement) && "adds a column that older programs do not fill: it needs a default",
      /ADD CONSTRAINT/.test(statement) && !/NOT VALID/.test(statement) && "reads all rows under a lock: add NOT VALID",
      unique &&
        !made.includes(table) &&
        `locks ${table} while it makes an index: use CONCURRENTLY, in a migration apart`,
      index &&
        !text.includes(`DROP INDEX CONCURRENTLY IF EXISTS "${index}"`) &&
        `cannot be repeated: put DROP INDEX CONCURRENTLY IF EXISTS "${index}" first`,
      /^\s*(UPDATE|DELETE)\b/m.test(ownOf(statement)) && "changes rows: the program does that, a few at a time",
      concurrent && !/INDEX CONCURRENTLY/.test(statement) && "runs outside transactions: put it apart",
    ].filter((fault) => typeof fault === "string" && fault !== "");
  });
  if (oldest && (concurrent || oldest > name)) faults.push("a contract stands apart, and after what it needs");
  return faults.map((fault) => `${name} ${fault}`);
}
