/** Parses JSON without checking the shape; undefined if it is invalid or null. */
export function parsed<T>(text: string | null): T | undefined {
  try {
    return (JSON.parse(text ?? "") as T | null) ?? undefined;
  } catch {
    return undefined;
  }
}
