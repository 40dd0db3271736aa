/** Removes control characters: external texts could move the terminal's cursor. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ");

export const when = (time: number): string => new Date(time).toISOString();

/** Aligned columns with a header. */
export function table(names: string[], rows: string[][]): string[] {
  const lines = [names, ...rows.map((row) => row.map(plain))];
  const widths = names.map((_, n) => Math.max(...lines.map((line) => line[n]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

export function bytesInWords(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const number = bytes / 1024 ** step;
  return `${step === 0 ? number : number.toFixed(1)} ${UNITS[step]}`;
}

export function ageInWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "less than a minute";
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2_880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} days`;
}
