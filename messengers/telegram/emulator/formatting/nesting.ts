import type { Entity } from "../wire.ts";

const SPLITTABLE = new Set(["bold", "italic", "underline", "strikethrough", "spoiler"]);
const QUOTES = new Set(["blockquote", "expandable_blockquote"]);
const CODE = new Set(["pre", "code"]);
// Order of entities on the same range: TDLib's td/telegram/MessageEntity.cpp.
const RANKS: Record<string, number> = {
  blockquote: 0,
  expandable_blockquote: 0,
  pre: 11,
  code: 20,
  text_link: 49,
  text_mention: 49,
  bold: 90,
  italic: 91,
  underline: 92,
  strikethrough: 93,
  spoiler: 94,
  custom_emoji: 99,
};
const rankOf = ({ type }: Entity): number => RANKS[type] ?? 50;
const endOf = ({ offset, length }: Entity): number => offset + length;

export const inOrder = (entities: readonly Entity[]): Entity[] =>
  [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length || rankOf(a) - rankOf(b));

/** Resolves overlaps as Telegram does: the result is disjoint or nested. */
export function nested(given: readonly Entity[], found: readonly Entity[] = []): Entity[] {
  const entities = inOrder(given);
  const quotes = dropOverlapping(entities.filter(({ type }) => QUOTES.has(type)));
  const whole = dropOverlapping(entities.filter(({ type }) => !QUOTES.has(type) && !SPLITTABLE.has(type)));
  const fits = (each: Entity) => !quotes.some((quote) => crosses(each, quote));
  const kept = addDisjoint(whole.filter(fits), found.filter(fits));
  const fixed = inOrder([...quotes, ...kept]);
  return inOrder([
    ...fixed,
    ...cut(
      entities.filter(({ type }) => SPLITTABLE.has(type)),
      fixed,
    ),
  ]);
}

/** Drops entities that overlap an earlier one. Sorted input. */
function dropOverlapping(entities: readonly Entity[]): Entity[] {
  let end = 0;
  return entities.filter((each) => {
    if (each.offset < end) return false;
    end = endOf(each);
    return true;
  });
}

const crosses = (one: Entity, quote: Entity): boolean =>
  one.offset < endOf(quote) && quote.offset < endOf(one) && (one.offset < quote.offset || endOf(quote) < endOf(one));

/** Adds entities that overlap none. Sorted input. */
function addDisjoint(there: readonly Entity[], more: readonly Entity[]): Entity[] {
  let at = 0;
  const added = more.filter((each) => {
    while (at < there.length && endOf(there[at] as Entity) <= each.offset) at += 1;
    const next = there[at];
    return !next || endOf(each) <= next.offset;
  });
  return [...there, ...added];
}

/** Merges by type, then splits at the edges of other entities; drops formatting inside code. */
function cut(entities: readonly Entity[], firm: readonly Entity[]): Entity[] {
  const joined = [...SPLITTABLE].flatMap((type) => join(entities.filter((each) => each.type === type)));
  const edges = new Set([...joined.map(({ offset }) => offset), ...firm.flatMap((each) => [each.offset, endOf(each)])]);
  const sorted = [...edges].sort((a, b) => a - b);
  const codes = firm.filter(({ type }) => CODE.has(type));
  const starts = codes.map(({ offset }) => offset);
  const isInCode = ({ offset }: Entity) => {
    const code = codes[after(starts, offset) - 1];
    return code !== undefined && offset < endOf(code);
  };
  return joined.flatMap((each) => pieces(each, sorted)).filter((piece) => !isInCode(piece));
}

function join(entities: readonly Entity[]): Entity[] {
  const made: Entity[] = [];
  for (const each of entities) {
    const last = made.at(-1);
    if (last && each.offset <= endOf(last)) last.length = Math.max(endOf(last), endOf(each)) - last.offset;
    else made.push({ ...each });
  }
  return made;
}

function pieces(entity: Entity, edges: readonly number[]): Entity[] {
  const made: Entity[] = [];
  let from = entity.offset;
  for (let at = after(edges, from); from < endOf(entity); at += 1) {
    const to = Math.min(edges[at] ?? Number.POSITIVE_INFINITY, endOf(entity));
    made.push({ ...entity, offset: from, length: to - from });
    from = to;
  }
  return made;
}

/** Index of the first greater value. */
function after(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
