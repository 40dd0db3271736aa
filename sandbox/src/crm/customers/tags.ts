import type { Entry } from "../records.ts";

interface Given {
  tags?: unknown;
  addTags?: unknown;
  removeTags?: unknown;
  attachedTag?: unknown;
}
type Tag = { name: string; attached: boolean };

/** The names of the attached ones. */
export const attachedTags = ({ tags }: Entry): string[] =>
  ((tags ?? []) as Tag[]).filter(({ attached }) => attached).map(({ name }) => name);

/** Tags are written as texts and read as objects. */
export function tagged(before: Entry, { tags, addTags, removeTags, attachedTag }: Given): Entry {
  if ([tags, addTags, removeTags, attachedTag].every((given) => given === undefined)) return {};
  const own = (before.tags ?? []) as Tag[];
  const named = (given: unknown) =>
    ((given ?? []) as (string | Entry)[]).map((tag) => (typeof tag === "string" ? tag : String(tag.name)));
  const attached = attachedTag === undefined ? own.find((tag) => tag.attached)?.name : String(attachedTag);
  const removed = named(removeTags);
  const names = [...(tags === undefined ? own.map(({ name }) => name) : named(tags)), ...named(addTags)];
  if (attachedTag) names.push(String(attachedTag));
  const kept = [...new Set(names)].filter((name) => !removed.includes(name));
  return { tags: kept.map((name) => ({ name, attached: name === attached })) };
}
