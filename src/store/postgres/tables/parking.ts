import { type Parking, STRANGER, type Sum } from "../../tables/channels/parked.ts";
import { all, first } from "../../tables/engine.ts";

const sum = (name: string, where: string) =>
  `count(*) FILTER (WHERE ${where}) AS "${name}Parts", coalesce(sum(size) FILTER (WHERE ${where}), 0) AS "${name}Bytes"`;
const SUMS = `SELECT ${sum("login", "login = @login AND owner = @owner")}, ${sum("owner", "owner = @owner")},
  ${sum("all", "true")} FROM parked`;
const LARGEST = "SELECT owner FROM parked GROUP BY owner ORDER BY sum(size) DESC LIMIT 1";
const OWNERS = "SELECT DISTINCT owner FROM parked WHERE login = @login";
const LOGINS = "SELECT DISTINCT login FROM parked";
const FIGURES = `SELECT count(*) AS parts, coalesce(sum(size), 0) AS bytes,
  count(*) FILTER (WHERE left(owner, 1) = '${STRANGER}') AS strangers FROM parked`;

type Sums = Record<`${"login" | "owner" | "all"}${"Parts" | "Bytes"}`, number>;

/** Asked of the table: other processes park, too. */
export const PARKING: Parking = {
  *sums(login, owner) {
    const row = (yield* first<Sums>(SUMS, { login, owner })) as Sums;
    return {
      ofLogin: { parts: row.loginParts, bytes: row.loginBytes },
      ofOwner: { parts: row.ownerParts, bytes: row.ownerBytes },
      inAll: { parts: row.allParts, bytes: row.allBytes },
    };
  },
  *largest() {
    return (yield* first<{ owner: string }>(LARGEST))?.owner;
  },
  *owners(login) {
    return (yield* all<{ owner: string }>(OWNERS, { login })).map(({ owner }) => owner);
  },
  *logins() {
    return (yield* all<{ login: string }>(LOGINS)).map(({ login }) => login);
  },
  *figures() {
    return (yield* first<Sum & { strangers: number }>(FIGURES)) as Sum & { strangers: number };
  },
};
