/** The value of a JSON text; undefined when it is none, or null. Its shape is not checked. */
export function parsed<T>(text: string | null): T | undefined {
  try {
    return (JSON.parse(text ?? "") as T | null) ?? undefined;
  } catch {
    return undefined;
  }
}
