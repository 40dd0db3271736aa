/** Bytes by name; without `write`, nothing is written. */
export function bundle(write: boolean): Promise<Record<string, Uint8Array>>;
