import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import { Refusal } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { listed } from "../listing.ts";
import type { Entry } from "../records.ts";
import { defaultShop } from "../reference/defaults.ts";
import { written } from "../resource/writable.ts";
import { BLANK, demand, entityFault } from "../writing.ts";
import { GROUP_FILTERS } from "./filters.ts";

// Groups of products. No source tells of a deletion.

const FORM = "productGroup";
const SCHEMA = "SerializedProductGroup";
const NOT_VALID = "This value is not valid.";

interface Body {
  productGroup: Entry;
  by?: "id" | "externalId";
  site?: string;
}

export function groupRoutes(site: Hono<Env>, world: World): void {
  const { productGroups } = world.tables;
  const root = "/api/v5/store/product-groups";
  site.get(root, (c) =>
    listed(c, {
      name: FORM,
      entries: leveled(productGroups.rows.values()),
      supported: GROUP_FILTERS,
      shown: (group) => group,
    }),
  );
  site.post(`${root}/create`, (c) => {
    const id = world.nextId();
    const given = written(SCHEMA, bodyOf<Body>(c).productGroup);
    productGroups.put(checked(world, { id, active: true, site: defaultShop(world), ...given }));
    return c.json({ success: true, id }, 201);
  });
  site.post(`${root}/:externalId/edit`, (c) => {
    const { productGroup, by = "externalId", site } = bodyOf<Body>(c);
    const before = groupBy(world, by, c.req.param("externalId"), site);
    const change = written(SCHEMA, productGroup);
    productGroups.put(checked(world, { ...before, ...change }, change));
    return c.json({ success: true, id: before.id });
  });
}

/** A group without a parent has the level 0. */
function* leveled(groups: Iterable<Entry>): Iterable<Entry> {
  const all = new Map([...groups].map((group) => [group.id, group]));
  const levelOf = ({ parentId }: Entry): number => {
    const parent = all.get(parentId);
    return parent ? levelOf(parent) + 1 : 0;
  };
  for (const group of all.values()) yield { ...group, lvl: levelOf(group) };
}

/** Throws a Refusal. */
function groupBy({ tables: { productGroups } }: World, by: "id" | "externalId", key: string, site?: string): Entry {
  const ids = by === "id" ? [Number(key)] : productGroups.having("externalId", key);
  const group = ids.map((id) => productGroups.rows.get(id)).find((each) => each && (!site || each.site === site));
  if (!group) throw new Refusal(404, "Not found", "the group exists");
  return group;
}

/** The group with both of its parent's ids. Throws a Refusal. */
function checked(world: World, group: Entry, change = group): Entry {
  demand(FORM, group, { name: BLANK });
  const { productGroups } = world.tables;
  const taken = productGroups.having("externalId", group.externalId ?? "").map((id) => productGroups.rows.get(id));
  if (taken.some((each) => each?.id !== group.id && each?.site === group.site))
    throw entityFault(FORM, "externalId", "This value is already used.");
  const parent = parentOf(world, change, group.site);
  if (!parent) return group;
  for (let at: Entry | undefined = parent; at; at = productGroups.rows.get(Number(at.parentId)))
    if (at.id === group.id) throw entityFault(FORM, "parentId", NOT_VALID);
  return { ...group, parentId: parent.id, parentExternalId: parent.externalId };
}

/** Throws a Refusal. */
function parentOf(
  { tables: { productGroups } }: World,
  { parentId, parentExternalId }: Entry,
  site: unknown,
): Entry | undefined {
  const [field, ids] =
    parentId !== undefined
      ? ["parentId", [Number(parentId)]]
      : ["parentExternalId", productGroups.having("externalId", parentExternalId ?? "")];
  if (parentId === undefined && parentExternalId === undefined) return undefined;
  const parent = ids.map((id) => productGroups.rows.get(id)).find((each) => each?.site === site);
  if (!parent) throw entityFault(FORM, field, NOT_VALID);
  return parent;
}
