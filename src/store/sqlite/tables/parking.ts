import type { Parking } from "../../tables/channels/parked.ts";
import { just } from "../../tables/engine.ts";
import type { Database } from "../database/db.ts";

const NONE = { parts: 0, bytes: 0 };

/** From memory. */
export const parkingIn = ({ parking }: Pick<Database, "parking">): Parking => ({
  sums: (login, owner) =>
    just({
      ofLogin: parking.lots(login).find((lot) => lot.owner === owner) ?? NONE,
      ofOwner: parking.ofOwner(owner),
      inAll: parking.all(),
    }),
  largest: () => just(parking.largest()),
  owners: (login) => just(parking.lots(login).map(({ owner }) => owner)),
  logins: () => just(parking.logins()),
  figures: () => just({ ...parking.all(), strangers: parking.strangers() }),
});
