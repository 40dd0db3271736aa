import type { Entry } from "../records.ts";
import { equal, within } from "../resource/filters.ts";
import { shownBy, written } from "../resource/writable.ts";
import { merged } from "../writing.ts";
import type { Part } from "./part.ts";

export const ADDRESS: Part = {
  path: "addresses",
  one: "address",
  kept: "addresses",
  filters: () => ({ ...equal({ ids: "id" }), ...within({ name: "name", city: "city", region: "region" }) }),
  unique: "externalId",
  reference: (_, part) => part,
  named: (_, { externalId }) => ({ externalId }),
  // Recorded: the only address of a new customer is its main one, though nothing said so.
  firstIsMain: () => true,
  apply: (_, corporate, given, before) => ({ corporate, part: merged(before, written("CustomerAddress", given)) }),
  shown: (_, __, part) => shownBy("CustomerAddress", part),
};

/** A part as another one names it. */
export const shortly = ({ id, externalId, name }: Entry): Entry => ({ id, externalId, name });
