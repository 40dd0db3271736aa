/** How many letters may differ: fewer in a short name, which easily resembles an unrelated variable. */
const allowed = (name: string) => (name.length < 8 ? 1 : name.length < 12 ? 2 : 3);

/** An unknown variable, and the setting that it resembles. */
export interface Misspelt {
  name: string;
  meant: string;
}

/** Returns unknown variables that probably misspell a setting which is not given itself. */
export function misspelt(names: string[], settings: string[]): Misspelt[] {
  const known = new Set(settings);
  const open = settings.filter((setting) => !names.includes(setting));
  return names.flatMap((name) => {
    if (known.has(name)) return [];
    const [closest] = open
      .map((setting) => ({ setting, by: distance(name, setting) }))
      .filter(({ setting, by }) => by <= allowed(setting))
      .sort((a, b) => a.by - b.by);
    return closest ? [{ name, meant: closest.setting }] : [];
  });
}

/** Levenshtein distance: letters to insert, remove or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const kept = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(kept, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
